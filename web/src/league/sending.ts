import { Refusal, sentence } from "./api";

/** Send a file to the address the server gave, telling how much of it has gone. */
export function putFile(url: string, file: Blob, progress: (part: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", localAddress(url));
    request.setRequestHeader("Content-Type", "application/zip");
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else reject(new Refusal(sentence(parsed(request.responseText), request.status), request.status));
    };
    request.onerror = () => reject(new Refusal("The upload broke off; try again", 0));
    request.send(file);
  });
}

/** Our own server answers at the address by which this page came; its other names would be another site. */
export function localAddress(url: string): string {
  const found = new URL(url, location.href);
  return found.pathname.startsWith("/store/") ? found.pathname + found.search : url;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
