import { Failure } from '../../../api/http.ts';

/** Puts a file at the address that the tool gave. @param onSent told how much of it has left, 0 to 1 @throws Failure */
export function putFile(
  url: string,
  file: Blob,
  { signal, onSent }: { signal: AbortSignal; onSent: (share: number) => void },
): Promise<void> {
  return new Promise((resolve, reject) => {
    // fetch does not tell how much has left.
    const request = new XMLHttpRequest();
    const stop = (): void => request.abort();
    signal.addEventListener('abort', stop, { once: true });
    request.open('PUT', url);
    request.setRequestHeader('content-type', 'text/csv');
    request.upload.addEventListener('progress', ({ loaded, total }) => onSent(total > 0 ? loaded / total : 0));
    request.addEventListener('loadend', () => {
      signal.removeEventListener('abort', stop);
      if (request.status === 201) resolve();
      else reject(failureOf(request.status, request.responseText));
    });
    request.send(file);
  });
}

function failureOf(status: number, text: string): Failure {
  if (status === 0) return new Failure('away', 'The file did not arrive. The connection may be down: try again.');
  let said: unknown;
  try {
    said = (JSON.parse(text) as { error?: unknown }).error;
  } catch {
    said = undefined;
  }
  return new Failure(
    status >= 500 ? 'fault' : 'refused',
    typeof said === 'string' ? said : `The file was answered with status ${status}.`,
  );
}
