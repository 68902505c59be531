import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { UserError } from '../base/errors.ts';

const demoState = z.object({
  state: z.enum(['off', 'running', 'done', 'failed']),
  summary: z.unknown(),
});

/** What a program needs to talk to a running home; `connection.json`, readable by its owner only. */
export const connectionSchema = z.object({
  mcpUrl: z.string(),
  /** Key of the bootstrap user (owner of the demo workspace, platform admin), all scopes. */
  userKey: z.string(),
  userId: z.string(),
  /** Key of the demo workspace, all but the admin scopes. */
  workspaceKey: z.string(),
  workspaceId: z.string(),
  runnerSecret: z.string(),
  /** Path of the kubeconfig. */
  kubeconfig: z.string(),
  /** The owner's connection string. */
  databaseUrl: z.string(),
  metricsUrls: z.object({ mcpServer: z.string(), operator: z.string() }),
  sandboxUrl: z.string(),
  demo: demoState,
});
export type Connection = z.infer<typeof connectionSchema>;

/** Writes the file whole: a reader never sees half of it. */
export async function writeConnection(file: string, connection: Connection): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(connection, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Reads the file of a home. @throws UserError when nothing runs there */
export async function readConnection(file: string): Promise<Connection> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined)
    throw new UserError(`Nothing runs here: ${file} does not exist. Start Outrider with: make run`);
  return connectionSchema.parse(JSON.parse(text));
}
