import { readFile } from 'node:fs/promises';
import type { Fixture } from './bench-fixture.ts';
import { openSession } from './load.ts';

const SESSIONS = 100_000;
/** Sessions that one key opens; far below what a key may. */
const PER_KEY = 200;
const AT_ONCE = 64;

/** Opens 100,000 sessions, and calls a tool in some of them. @returns resident bytes that one of them costs */
export async function sessionBytes(fixture: Fixture): Promise<number> {
  const keys: string[] = [];
  for (let i = 0; i < SESSIONS / PER_KEY; i++) keys.push(await fixture.newKey());
  await open(fixture, keys, SESSIONS / 20);
  const before = await residentBytes(fixture.server.pid);
  const sessions = await open(fixture, keys, SESSIONS);
  const after = await residentBytes(fixture.server.pid);
  for (let i = 0; i < sessions.length; i += 1_000) await stillOpen(fixture, sessions[i]);
  return Math.max(0, after - before) / SESSIONS;
}

interface Opened {
  key: string;
  session: string;
}

async function open(fixture: Fixture, keys: string[], count: number): Promise<Opened[]> {
  const opened: Opened[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const key = keys[next++ % keys.length] ?? '';
      opened.push({ key, session: await openSession(fixture.server.mcpUrl, headersOf(key)) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return opened;
}

async function stillOpen(fixture: Fixture, opened: Opened | undefined): Promise<void> {
  const headers = { ...headersOf(opened?.key ?? ''), 'mcp-session-id': opened?.session ?? '' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const answer = await fetch(fixture.server.mcpUrl, { method: 'POST', headers, body });
  if (answer.status !== 200) throw new Error(`a session was lost: ${answer.status} ${await answer.text()}`);
  await answer.text();
}

function headersOf(key: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${key}`,
  };
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024;
}
