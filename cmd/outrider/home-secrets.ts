import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../pkg/base/errors.ts';
import { homeFolder } from './home-client.ts';

const schema = z.object({ sandboxApiKey: z.string(), sealingKey: z.string() });

/**
 * What the command line needs of the secrets of the running home, which its executors have too.
 * @throws UserError when the data folder has none
 */
export async function homeSecrets(): Promise<z.infer<typeof schema>> {
  const text = await readFile(join(homeFolder(), 'secrets.json'), 'utf8').catch(() => undefined);
  if (text === undefined) throw new UserError('Set OUTRIDER_SECRETS_KEY to the key of the installation.');
  return schema.parse(JSON.parse(text));
}
