import { messageOf } from '../../base/errors.ts';
import { ParsePool } from '../../base/foreign-bytes/parse-pool.ts';
import { workerFile } from '../../base/foreign-bytes/worker-file.ts';
import { sameRegistrable } from '../../domain/registrable-domain.ts';
import type { FeedItem, SourceContent } from '../../domain/signals/source-item.ts';
import { plainText } from '../../domain/watches/site-text.ts';
import { type ReachOf, reachBesides } from '../integrations.ts';
import { exchange } from '../outside-http.ts';
import { robotsAllow } from './robots.ts';
import type { ReadPage } from './site-worker.ts';

/** A look at something outside that gave nothing, and why. */
interface Blocked {
  kind: 'blocked';
  why: string;
}

/** What a look at the front page of a site came to. */
export type SiteLook = { kind: 'read'; text: string } | Blocked;
/** What a look at a source of a signal agent came to. */
export type SourceLook = SourceContent | Blocked;

/** By which sites know us, and ask us to stay away. */
const AGENT = 'outrider';
const TIMEOUT_MS = 15_000;
const MOST_REDIRECTS = 3;
/** One MB of markup takes some ms; what takes more is written to do so. */
const LIMITS = { workers: 1, heapMb: 64, withinMs: 5_000, queued: 64, queuedOfOne: 16 };
/** Hosts below these never exist outside (RFC 2606): the sandbox has them. */
const RESERVED = /\.(example|test|invalid)$/;
const ACCEPT = {
  site: 'text/html,text/plain;q=0.8',
  feed: 'application/rss+xml,application/atom+xml,application/feed+json,application/xml;q=0.9,application/json;q=0.9',
};

/** Where something is read: `host` is who is asked, `at` the address behind it. */
interface Place {
  host: string;
  /** Path and query. */
  path: string;
}

/** Reads pages and feeds of sites: public addresses only, as robots.txt allows, bounded in size, time and redirects. */
export class SiteReader {
  readonly #sandboxUrl: string | undefined;
  readonly #reachOf: ReachOf;
  readonly #timeoutMs: number;
  #pool: ParsePool | undefined;

  /** @param timeoutMs real ms of one request */
  constructor(sandboxUrl: string | undefined, timeoutMs: number = TIMEOUT_MS) {
    this.#sandboxUrl = sandboxUrl?.replace(/\/+$/, '');
    this.#reachOf = reachBesides(sandboxUrl);
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Reads what the front page of a site says.
   * @param tenant whose question it is: they take turns. Nothing that a site does is a fault of ours, so it never throws for one.
   */
  async read(tenant: string, domain: string, signal: AbortSignal): Promise<SiteLook> {
    const look = await this.readSource(tenant, { kind: 'site', url: `https://${domain}/` }, signal);
    return look.kind === 'site' ? { kind: 'read', text: look.text } : (look as Blocked);
  }

  /** Reads a page or a feed. @param source `url`: https. As `read`, it throws for nothing that the other side does. */
  async readSource(
    tenant: string,
    source: { kind: 'site' | 'feed'; url: string },
    signal: AbortSignal,
  ): Promise<SourceLook> {
    try {
      const { hostname, pathname, search } = new URL(source.url);
      const place = { host: hostname.toLowerCase(), path: `${pathname}${search}` };
      const robots = await this.#get({ ...place, path: '/robots.txt' }, ACCEPT.site, signal);
      if (robots.status >= 500) return blocked(`its robots.txt answered ${robots.status}`);
      if (robots.status < 300 && !robotsAllow(robots.text, AGENT, place.path))
        return blocked('its robots.txt asks not to read it');
      const answer = await this.#get(place, ACCEPT[source.kind], signal);
      if (answer.status >= 300) return blocked(`it answered ${answer.status}`);
      return source.kind === 'feed' ? await this.#feed(tenant, answer.text) : await this.#page(tenant, answer.text);
    } catch (error) {
      if (signal.aborted) throw error;
      return blocked(messageOf(error));
    }
  }

  async #feed(tenant: string, feed: string): Promise<SourceLook> {
    if (feed.trim() === '') return blocked('the feed is empty');
    return { kind: 'feed', items: await this.#parse<FeedItem[]>(tenant, { feed }) };
  }

  async #page(tenant: string, html: string): Promise<SourceLook> {
    const { lines, wall } = await this.#parse<ReadPage>(tenant, { html });
    if (lines.length === 0) return blocked('the page is empty');
    return wall
      ? blocked('a wall for robots or a login stands before it')
      : { kind: 'site', text: plainText(lines), lines };
  }

  #parse<T>(tenant: string, input: { html: string } | { feed: string }): Promise<T> {
    this.#pool ??= new ParsePool(workerFile('site-worker', import.meta.url), LIMITS);
    return this.#pool.parse<T>(tenant, input);
  }

  /** What stands somewhere, after redirects that stay with the owner of the domain. */
  async #get(place: Place, accept: string, signal: AbortSignal): Promise<{ status: number; text: string }> {
    let url = this.#addressOf(place);
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      const answer = await exchange({
        method: 'GET',
        url,
        headers: { 'user-agent': `${AGENT}/1 (watches the site for changes)`, accept },
        timeoutMs: this.#timeoutMs,
        signal,
        harmless: true,
        reach: this.#reachOf(url),
      });
      if (answer.status < 300 || answer.status >= 400 || answer.location === undefined) return answer;
      const next = URL.parse(answer.location, url);
      if (!next) return { status: answer.status, text: '' };
      url = this.#followed(next, place.host);
    }
    return { status: 310, text: '' };
  }

  /** @throws Error when it leads to somebody else, or to no https address */
  #followed(next: URL, host: string): string {
    if (this.#reachOf(next.href) === 'any') return next.href;
    if (!sameRegistrable(next.hostname.toLowerCase(), host))
      throw new Error(`it leads to another site, ${next.hostname.slice(0, 100)}`);
    if (this.#sandboxUrl !== undefined && RESERVED.test(host))
      return this.#addressOf({ host: next.hostname, path: `${next.pathname}${next.search}` });
    return next.href;
  }

  #addressOf({ host, path }: Place): string {
    if (this.#sandboxUrl !== undefined && RESERVED.test(host)) return `${this.#sandboxUrl}/outside/site/${host}${path}`;
    return `https://${host}${path}`;
  }

  /** Ends its workers. */
  async close(): Promise<void> {
    await this.#pool?.close();
  }
}

function blocked(why: string): Blocked {
  return { kind: 'blocked', why: why.slice(0, 300) };
}
