import type { Command } from 'commander';
import { parseEnv } from '../../pkg/base/config.ts';
import { UserError } from '../../pkg/base/errors.ts';
import { sealingEnv } from '../../pkg/base/sealing-env.ts';
import { type Resealed, resealAll } from '../../pkg/store/secrets/reseal.ts';
import { forgetOldKeys, planNewKey } from './home-keys.ts';
import { sealerOfInstallation } from './home-secrets.ts';
import { installationEnv, onInstallation } from './installation.ts';

const settings = installationEnv.extend(sealingEnv);

interface Options {
  dryRun?: boolean;
  newKey?: boolean;
  dropOldKeys?: boolean;
}

/** Secrets are left that the current key does not open. */
const INCOMPLETE = 2;

/** `outrider reseal`: seals every stored secret under the current key. Keys come by environment or from the home, never as arguments. */
export function addResealCommand(program: Command): void {
  program
    .command('reseal')
    .description(
      'seal every stored secret anew under the current key, OUTRIDER_SECRETS_KEY (docs/reference/secrets.md)',
    )
    .option('--dry-run', 'only count which key sealed what')
    .option('--new-key', 'make run: a new key, which seals from the next start on; the present one goes on opening')
    .option('--drop-old-keys', 'make run: forget the keys that only open, once nothing needs them')
    .action(async (options: Options) => {
      refuseMixtures(options);
      if (options.newKey) return console.log(await planNewKey());
      const found = await reseal(options.dryRun ?? false);
      for (const line of lines(found, options.dryRun ?? false)) console.log(line);
      const left = found.reduce((sum, { old, unknown }) => sum + old + unknown, 0);
      if (left > 0) process.exitCode = INCOMPLETE;
      if (!options.dropOldKeys) return;
      if (left > 0) throw new UserError('The old keys stay: not everything is sealed by the current one.');
      console.log(await forgetOldKeys());
    });
}

function refuseMixtures({ dryRun, newKey, dropOldKeys }: Options): void {
  if (!newKey && !dropOldKeys) return;
  if (dryRun) throw new UserError('--dry-run only counts: leave it out, or the option beside it.');
  if (process.env['OUTRIDER_SECRETS_KEY'])
    throw new UserError(
      'OUTRIDER_SECRETS_KEY comes by environment, and the option changes the keys of a home. Change the keys where they come from (docs/reference/secrets.md).',
    );
}

async function reseal(dryRun: boolean): Promise<Resealed[]> {
  const env = parseEnv(settings, process.env);
  const sealer = await sealerOfInstallation(env);
  return onInstallation(({ db }) => {
    console.log(`The key that seals is ${sealer.keyId}.`);
    return resealAll((work) => db.tx({ kind: 'platform' }, work), sealer, { dryRun });
  }, env);
}

function lines(found: readonly Resealed[], dryRun: boolean): string[] {
  return found.map(({ table, current, old, resealed, unknown, unknownIds }) => {
    const parts = [
      `${current} by this key`,
      dryRun ? `${old} by an old key, to be sealed anew` : `${resealed} sealed anew`,
      ...(!dryRun && old > 0 ? [`${old} changed meanwhile: run it again`] : []),
      ...(unknown > 0 ? [`${unknown} by no key that is given (${unknownIds.join(', ')})`] : []),
    ];
    return `${table}: ${parts.join('; ')}`;
  });
}
