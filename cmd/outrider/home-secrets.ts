import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../pkg/base/errors.ts';
import { Sealer } from '../../pkg/base/sealer.ts';
import { type SealingKeys, sealerOf } from '../../pkg/base/sealing-env.ts';
import { homeFolder } from './home-client.ts';

const schema = z.object({
  sandboxApiKey: z.string(),
  sealingKey: z.string(),
  oldSealingKeys: z.array(z.string()).default([]),
});

/**
 * What the command line needs of the secrets of the running home, which its executors have too.
 * @throws UserError when the data folder has none
 */
export async function homeSecrets(): Promise<z.infer<typeof schema>> {
  const text = await readFile(join(homeFolder(), 'secrets.json'), 'utf8').catch(() => undefined);
  if (text === undefined) throw new UserError('Set OUTRIDER_SECRETS_KEY to the key of the installation.');
  return schema.parse(JSON.parse(text));
}

/** Seals and opens by the keys of the environment, else by those of the home. @throws UserError where neither has one */
export async function sealerOfInstallation(env: SealingKeys): Promise<Sealer> {
  const given = sealerOf(env);
  if (given) return given;
  const { sealingKey, oldSealingKeys } = await homeSecrets();
  return new Sealer(sealingKey, oldSealingKeys);
}

/** The same, where the command goes on without: outside a home, nobody need give the keys to ask what is wrong. */
export async function knownSealer(
  env: SealingKeys & { OWNER_DATABASE_URL?: string | undefined },
): Promise<Sealer | undefined> {
  return env.OWNER_DATABASE_URL === undefined ? sealerOfInstallation(env) : sealerOf(env);
}
