// Starts Swagger UI on the page `/docs`; a separate file, because the content security policy forbids inline scripts.
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  presets: [SwaggerUIBundle.presets.apis],
  validatorUrl: null,
  requestInterceptor: (request) => {
    // Calls go to the server that the page is from.
    request.credentials = "same-origin";
    return request;
  },
});
