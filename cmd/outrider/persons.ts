import type { Command } from 'commander';
import { z } from 'zod';
import { UserError } from '../../pkg/base/errors.ts';
import type { Tx } from '../../pkg/postgres/database.ts';
import { listMerges, personsNamed, splitPerson } from '../../pkg/store/persons/united-persons.ts';
import { onInstallation } from './installation.ts';
import { print } from './keys.ts';

const MOST = 1_000;

/** `outrider persons`: who was found to be one person, by what evidence, and undoing it. */
export function addPersonsCommand(program: Command): void {
  const persons = program
    .command('persons')
    .description('who was found to be one person; OWNER_DATABASE_URL names the installation, else the running home');
  persons
    .command('merges', { isDefault: true })
    .description('the newest merges that stand, with what proved each of them')
    .option('--of <id>', 'of this person, or of the person of this lead')
    .option('--limit <count>', `how many, at most ${MOST}`, '50')
    .action(async (options: { of?: string; limit: string }) => {
      const limit = z.coerce.number().int().min(1).max(MOST).parse(options.limit);
      print(await inDatabase((tx) => mergesOf(tx, options.of, limit)));
    });
  persons
    .command('split <id>')
    .description(
      'make the humans that one person stands for several persons again, by their profiles: of a person, or of the person of a lead',
    )
    .option('--merge <mergeId>', 'undo this merge of the journal only')
    .action(async (id: string, options: { merge?: string }) => {
      print(await inDatabase((tx) => split(tx, id, options.merge ?? null)));
    });
}

async function mergesOf(tx: Tx, id: string | undefined, limit: number): Promise<object> {
  if (id === undefined) return listMerges(tx, { limit });
  const merges = [];
  for (const personId of await requirePersons(tx, id)) merges.push(...(await listMerges(tx, { personId, limit })));
  return merges;
}

async function split(tx: Tx, id: string, mergeId: string | null): Promise<object> {
  if (mergeId !== null && !z.uuid().safeParse(mergeId).success)
    throw new UserError(`${mergeId} is no merge. List them: outrider persons merges --of ${id}.`);
  const done = [];
  for (const personId of await requirePersons(tx, id)) {
    const persons = await splitPerson(tx, personId, mergeId, 'outrider persons split');
    done.push({ personId, split: persons.length > 1, persons });
  }
  return done;
}

async function requirePersons(tx: Tx, id: string): Promise<string[]> {
  const persons = await personsNamed(tx, id);
  if (persons.length === 0)
    throw new UserError(
      `Neither a person nor a lead with a person has the id ${id}. List merges: outrider persons merges.`,
    );
  return persons;
}

function inDatabase<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return onInstallation(({ db }) => db.tx({ kind: 'none' }, work));
}
