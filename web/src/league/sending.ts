import { RequestError, sentence } from "./api";

/** Upload a file to the address from the server, and report progress. */
export function putFile(url: string, file: Blob, progress: (part: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", localAddress(url));
    request.setRequestHeader("Content-Type", "application/zip");
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else reject(new RequestError(sentence(parse(request.responseText), request.status), request.status));
    };
    request.onerror = () => reject(new RequestError("The upload was interrupted; try again", 0));
    request.send(file);
  });
}

/** Use this page's origin for uploads to our own server: its other host names would be cross-origin. */
export function localAddress(url: string): string {
  const target = new URL(url, location.href);
  return target.pathname.startsWith("/store/") ? target.pathname + target.search : url;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
