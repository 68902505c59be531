import { exchange, type OutsideRequest, refusalOf } from '../outside-http.ts';

/** A `fetch` for the vendors' libraries that goes the way of all our requests: time-outs, one try, no redirect, a bound on the answer. */
export function guardedFetch(timeoutMs: number, reach: 'public' | 'any'): typeof fetch {
  return async (input, init) => {
    const call: OutsideRequest = {
      method: 'POST',
      url: input instanceof Request ? input.url : String(input),
      headers: Object.fromEntries(new Headers(init?.headers).entries()),
      body: typeof init?.body === 'string' ? init.body : undefined,
      timeoutMs,
      signal: init?.signal ?? undefined,
      harmless: true,
      reach,
    };
    const { status, text, retryAfterMs } = await exchange(call);
    // What a refusal proves is known here; the libraries would only say that there was one.
    if (status >= 300) throw refusalOf(call, { status, text, retryAfterMs });
    return new Response(text, { status, headers: { 'content-type': 'application/json' } });
  };
}
