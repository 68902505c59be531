import { resealAll } from '../../store/secrets/reseal.ts';
import { type DoctorCheck, type Finding, notice, problem } from './finding.ts';

/** Stored secrets that the present key does not open. Without keys nothing is asked. */
export const sealedSecrets: DoctorCheck = {
  name: 'stored secrets are sealed by the present key',
  async run({ tx, sealer }): Promise<Finding[]> {
    if (!sealer) return [];
    const tables = await resealAll((work) => work(tx), sealer, { dryRun: true });
    return tables.flatMap(({ table, old, unknown, unknownIds }) => [
      ...(unknown === 0
        ? []
        : [
            problem(
              'closed_secrets',
              `${unknown} secrets of ${table} are opened by no key that is given: ${unknownIds.join(', ')}.`,
              'Add the key that sealed them to OUTRIDER_SECRETS_OLD_KEYS; where it is lost, connect them anew (docs/reference/secrets.md).',
            ),
          ]),
      ...(old === 0
        ? []
        : [
            notice(
              'old_secrets',
              `${old} secrets of ${table} are sealed by an old key.`,
              'Run outrider reseal before the old key goes.',
            ),
          ]),
    ]);
  },
};
