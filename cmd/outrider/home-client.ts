import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../pkg/base/errors.ts';
import { type Connection, readConnection } from '../../pkg/standalone/connection.ts';

const controlFile = z.object({ url: z.string(), token: z.string() });

/** The data folder that the command line talks to. */
export function homeFolder(): string {
  return resolve(process.env['OUTRIDER_HOME'] || '.outrider');
}

/** What a program needs to talk to the running home. @throws UserError when nothing runs there */
export function connection(): Promise<Connection> {
  return readConnection(join(homeFolder(), 'connection.json'));
}

/**
 * Calls the control endpoint of a running home.
 * @throws UserError when nothing runs there, or with the endpoint's own message
 */
export async function control(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
  const file = join(homeFolder(), 'control.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) {
    throw new UserError(
      `No standalone Outrider runs on ${homeFolder()}. Start it with: make run. Outside standalone the clock is real time and can't be set.`,
    );
  }
  const { url, token } = controlFile.parse(JSON.parse(text));
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(10_000),
  }).catch(() => undefined);
  if (!response) throw new UserError(`Outrider on ${homeFolder()} does not answer. Start it with: make run`);
  const answer = (await response.json()) as { error?: string };
  if (!response.ok) throw new UserError(answer.error ?? `The control endpoint answered ${response.status}.`);
  return answer;
}
