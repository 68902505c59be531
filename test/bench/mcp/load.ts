import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';

/** What is asked of autocannon, which has no types of its own. */
interface Cannon {
  url: string;
  method: 'POST';
  headers: Record<string, string>;
  body: string;
  connections: number;
  duration: number;
  overallRate?: number;
}
interface Shot {
  requests: { average: number };
  latency: { p99: number };
  non2xx: number;
  errors: number;
}
const requireOfPeers = createRequire(new URL('../peers/package.json', import.meta.url));
const autocannon = requireOfPeers('autocannon') as (options: Cannon) => Promise<Shot>;

/** A request that is sent again and again. */
export interface Target {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** A JSON-RPC request in a new session. @param key absent for a server that asks for none */
export async function target(url: string, method: string, params: object, key?: string): Promise<Target> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  const session = await openSession(url, headers);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const made = { url, headers: { ...headers, 'mcp-session-id': session }, body };
  const answer = await fetch(url, { method: 'POST', headers: made.headers, body });
  const text = await answer.text();
  const { error, result } = JSON.parse(text) as { error?: unknown; result?: { isError?: boolean } };
  if (error !== undefined || result?.isError) throw new Error(`${method}: ${text.slice(0, 300)}`);
  return made;
}

export async function openSession(url: string, headers: Record<string, string>): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const answer = await fetch(url, { method: 'POST', headers, body });
  await answer.text();
  return answer.headers.get('mcp-session-id') ?? '';
}

/** Requests per second at 32 connections. @throws Error when one was not answered with success */
export async function perSecond(what: Target, seconds: number): Promise<number> {
  return checked(await autocannon({ ...what, method: 'POST', connections: 32, duration: seconds })).requests.average;
}

/**
 * 99th percentile in ms while this many requests per second are sent, evenly and whatever comes back; the time of a call
 * begins when it was planned. @throws Error when one was not answered with success
 */
export async function p99At(what: Target, rate: number, seconds: number): Promise<number> {
  const told = promisify(execFile)(process.execPath, STEADY, { timeout: seconds * 1_000 + 60_000 });
  // It has a key, which does not belong into a process's arguments.
  told.child.stdin?.end(JSON.stringify({ ...what, rate, seconds }));
  return Number((await told).stdout);
}

/** In a process of its own, fresh and with a small new space: a pause of who measures would count as one of who is measured. */
const STEADY = ['--max-semi-space-size=2', new URL('steady-load.ts', import.meta.url).pathname];

/** The same when each second's requests come at once at its beginning, over 32 connections: how autocannon keeps a rate. */
export async function p99InBursts(what: Target, rate: number, seconds: number): Promise<number> {
  const shot = await autocannon({ ...what, method: 'POST', connections: 32, duration: seconds, overallRate: rate });
  return checked(shot).latency.p99;
}

function checked(shot: Shot): Shot {
  if (shot.non2xx > 0 || shot.errors > 0) throw new Error(`${shot.non2xx} refused, ${shot.errors} failed`);
  return shot;
}
