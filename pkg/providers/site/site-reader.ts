import { messageOf } from '../../base/errors.ts';
import { ParsePool } from '../../base/foreign-bytes/parse-pool.ts';
import { workerFile } from '../../base/foreign-bytes/worker-file.ts';
import { sameRegistrable } from '../../domain/registrable-domain.ts';
import { type ReachOf, reachBesides } from '../integrations.ts';
import { exchange } from '../outside-http.ts';
import { robotsAllow } from './robots.ts';
import type { ReadPage } from './site-worker.ts';

/** What a look at a site came to. */
export type SiteLook = { kind: 'read'; text: string } | { kind: 'blocked'; why: string };

/** By which sites know us, and ask us to stay away. */
const AGENT = 'outrider';
const TIMEOUT_MS = 15_000;
const MOST_REDIRECTS = 3;
/** One MB of markup takes some ms; what takes more is written to do so. */
const LIMITS = { workers: 1, heapMb: 64, withinMs: 5_000, queued: 64, queuedOfOne: 16 };
/** Hosts below these never exist outside (RFC 2606): the sandbox has them. */
const RESERVED = /\.(example|test|invalid)$/;

/** Reads what the front page of a site says: public addresses only, as robots.txt allows, bounded in size, time and redirects. */
export class SiteReader {
  readonly #sandboxUrl: string | undefined;
  readonly #reachOf: ReachOf;
  #pool: ParsePool | undefined;

  constructor(sandboxUrl: string | undefined) {
    this.#sandboxUrl = sandboxUrl?.replace(/\/+$/, '');
    this.#reachOf = reachBesides(sandboxUrl);
  }

  /** @param tenant whose question it is: they take turns. Nothing that a site does is a fault of ours, so it never throws for one. */
  async read(tenant: string, domain: string, signal: AbortSignal): Promise<SiteLook> {
    const home = this.#homeOf(domain);
    try {
      const robots = await this.#get(`${home}robots.txt`, domain, signal);
      if (robots.status >= 500) return blocked(`its robots.txt answered ${robots.status}`);
      if (robots.status < 300 && !robotsAllow(robots.text, AGENT, '/'))
        return blocked('its robots.txt asks not to read it');
      const page = await this.#get(home, domain, signal);
      if (page.status >= 300) return blocked(`it answered ${page.status}`);
      return await this.#look(tenant, page.text);
    } catch (error) {
      if (signal.aborted) throw error;
      return blocked(messageOf(error));
    }
  }

  async #look(tenant: string, html: string): Promise<SiteLook> {
    this.#pool ??= new ParsePool(workerFile('site-worker', import.meta.url), LIMITS);
    const { text, wall } = await this.#pool.parse<ReadPage>(tenant, { html });
    if (text === '') return blocked('the page is empty');
    return wall ? blocked('a wall for robots or a login stands before it') : { kind: 'read', text };
  }

  /** A page, after redirects that stay with the owner of the domain. */
  async #get(from: string, domain: string, signal: AbortSignal): Promise<{ status: number; text: string }> {
    let url = from;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      const answer = await exchange({
        method: 'GET',
        url,
        headers: { 'user-agent': `${AGENT}/1 (watches the site for changes)`, accept: 'text/html,text/plain;q=0.8' },
        timeoutMs: TIMEOUT_MS,
        signal,
        harmless: true,
        reach: this.#reachOf(url),
      });
      if (answer.status < 300 || answer.status >= 400 || answer.location === undefined) return answer;
      const next = URL.parse(answer.location, url);
      if (!next) return { status: answer.status, text: '' };
      url = this.#followed(next, domain);
    }
    return { status: 310, text: '' };
  }

  /** @throws Error when it leads to somebody else, or to no https address */
  #followed(next: URL, domain: string): string {
    if (this.#reachOf(next.href) === 'any') return next.href;
    if (!sameRegistrable(next.hostname.toLowerCase(), domain))
      throw new Error(`it leads to another site, ${next.hostname.slice(0, 100)}`);
    if (this.#sandboxUrl !== undefined && RESERVED.test(domain))
      return this.#homeOf(next.hostname) + next.pathname.slice(1);
    return next.href;
  }

  #homeOf(domain: string): string {
    if (this.#sandboxUrl !== undefined && RESERVED.test(domain)) return `${this.#sandboxUrl}/outside/site/${domain}/`;
    return `https://${domain}/`;
  }

  /** Ends its workers. */
  async close(): Promise<void> {
    await this.#pool?.close();
  }
}

function blocked(why: string): SiteLook {
  return { kind: 'blocked', why: why.slice(0, 300) };
}
