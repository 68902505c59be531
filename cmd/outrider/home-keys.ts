import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../pkg/base/errors.ts';
import { MAX_OLD_KEYS } from '../../pkg/base/sealer.ts';
import { homeFolder } from './home-client.ts';

/** The keys of a home among its other secrets, which stay as they are. */
const schema = z.looseObject({
  sealingKey: z.string(),
  oldSealingKeys: z.array(z.string()).optional(),
  nextSealingKey: z.string().optional(),
});
type Secrets = z.infer<typeof schema>;

/** Makes the key that seals from the home's next start on. @returns what to do next. @throws UserError when one waits already */
export async function planNewKey(): Promise<string> {
  const secrets = await read();
  if (secrets.nextSealingKey !== undefined)
    throw new UserError(
      'A new key waits for the next start of the home already. Restart it, then run: outrider reseal',
    );
  if ((secrets.oldSealingKeys?.length ?? 0) >= MAX_OLD_KEYS)
    throw new UserError(`The home has ${MAX_OLD_KEYS} old keys. Run: outrider reseal --drop-old-keys`);
  await write({ ...secrets, nextSealingKey: randomBytes(24).toString('hex') });
  return 'A new key seals from the next start of the home on, and the present one goes on opening. Restart it, then run: outrider reseal';
}

/** Forgets the keys that only open. @returns what was done. @throws UserError outside a home */
export async function forgetOldKeys(): Promise<string> {
  const { oldSealingKeys = [], ...secrets } = await read();
  await write(secrets);
  return oldSealingKeys.length === 0
    ? 'There are no old keys.'
    : 'The old keys are gone; a backup from before needs them.';
}

const file = (): string => join(homeFolder(), 'secrets.json');

async function read(): Promise<Secrets> {
  const text = await readFile(file(), 'utf8').catch(() => undefined);
  if (text === undefined)
    throw new UserError(
      `There is no home in ${homeFolder()}. On a cluster the keys stand in the Secret of the release (docs/reference/secrets.md).`,
    );
  return schema.parse(JSON.parse(text));
}

async function write(secrets: Secrets): Promise<void> {
  await writeFile(`${file()}.keys`, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  await rename(`${file()}.keys`, file());
}
