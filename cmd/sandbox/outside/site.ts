import { type Call, Refusal, type Reply } from '../http.ts';
import { siteOf } from '../scripts.ts';
import type { World } from '../world.ts';
import { note } from './book.ts';

/** `GET /outside/site/<host>/<path>`: the site of a company, as a test told it; a host that nobody told of has a page of its own. */
export function site(world: World, call: Call): Reply {
  if (call.method !== 'GET') throw new Refusal(405, 'method_not_allowed', 'a site is only read');
  const [, , host = '', ...rest] = call.path;
  const path = `/${rest.join('/')}`;
  const { headers } = call;
  note(world.store, {
    at: world.clock.now(),
    service: 'site',
    action: 'read',
    about: `${host}${path}`,
    idempotencyKey: null,
    headers: { 'user-agent': headers['user-agent'] ?? '' },
    body: null,
  });
  const pages = siteOf(world, host) ?? { '/': { status: 200, text: plain(host), contentType: 'text/html' } };
  const page = pages[path];
  if (!page) return { status: 404, body: {}, text: 'not found', contentType: 'text/plain' };
  const to = page.redirect === undefined ? {} : { location: page.redirect };
  return { status: page.status, body: {}, text: page.text, contentType: page.contentType, ...to };
}

const plain = (host: string): string =>
  `<!doctype html><title>${host}</title><main><h1>${host}</h1><p>${`We make things that people need. `.repeat(12)}</p></main>`;
