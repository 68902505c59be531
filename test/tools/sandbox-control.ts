/** Asks the handles of a sandbox's tests, under `/_sandbox`: GET, with a body POST. @throws with the answer when it refuses */
export async function sandboxControl<T>(url: string, path: string, body?: object): Promise<T> {
  const init = body
    ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    : { method: 'GET' };
  const response = await fetch(`${url}/_sandbox/${path}`, init);
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as T;
}
