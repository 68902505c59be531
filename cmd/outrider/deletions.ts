import type { Command } from 'commander';
import type { KindName } from '../../pkg/api/specs.ts';
import { UserError } from '../../pkg/base/errors.ts';
import { tombstonePart } from '../../pkg/store/erasure/tombstones.ts';
import { bringBack, reviveRuns, whyNotBack } from '../../pkg/store/restore/bring-back.ts';
import { type HeldDeletion, heldDeletions } from '../../pkg/store/restore/held-deletions.ts';
import { type DeletedObject, deletedObjects, type Manifest, manifestOf } from '../../pkg/store/restore/spec-of-rows.ts';
import { onPlatform, type PlatformPlace } from './installation.ts';
import { kindOf } from './kind-of.ts';

/** `outrider deletions`: deletions that nobody can have meant, and deleted objects that can be brought back with their runs. */
export function addDeletionsCommand(program: Command): void {
  const deletions = program
    .command('deletions')
    .description('deletions that are held until somebody says what was meant, and what can be brought back');
  deletions
    .command('list', { isDefault: true })
    .description('what is held, and what can be brought back')
    .option('--workspace <id>', 'of this workspace only')
    .action(({ workspace }: { workspace?: string }) => onPlatform((place) => list(place, workspace)));
  deletions
    .command('confirm [kind] [id]')
    .description('it was meant: end its runs and mark its rows deleted, with what is below it')
    .option('--all', 'of all that is held', false)
    .action((kind: string | undefined, id: string | undefined, { all }: { all: boolean }) =>
      onPlatform((place) => confirm(place, kind, id, all)),
    );
  deletions
    .command('undo <kind> <id>')
    .description(
      'take up the runs that a deletion ended, and print the objects as their rows remember them, with what went with them, for kubectl apply -f -; objects that were made anew since stay',
    )
    .action((kind: string, id: string) => onPlatform((place) => undo(place, kindOf(kind), id)));
}

async function list({ db }: PlatformPlace, workspace: string | undefined): Promise<void> {
  const { held, deleted } = await db.tx({ kind: 'platform' }, async (tx) => ({
    held: await heldDeletions(tx, workspace),
    deleted: await deletedObjects(tx, workspace),
  }));
  if (held.length === 0) console.log('No deletion is held.');
  for (const one of held) console.log(heldLine(one));
  for (const one of deleted) console.log(deletedLine(one));
}

function deletedLine({ kind, id, name, deletedAt, madeAnew, runs }: DeletedObject): string {
  const what = `${kind.toLowerCase()} ${id}`;
  const since = madeAnew ? ' and made anew since' : '';
  const at = new Date(deletedAt).toISOString();
  return `deleted  ${what} (${name}) at ${at}${since}, which ended ${runs} runs: outrider deletions undo ${what}`;
}

function heldLine({ kind, id, reason, heldAt }: HeldDeletion): string {
  const what = `${kind.toLowerCase()} ${id}`;
  const commands = `outrider deletions undo ${what}; if it was meant: outrider deletions confirm ${what}`;
  return `held     ${what} since ${new Date(heldAt).toISOString()}: ${reason}. ${commands}`;
}

async function confirm(
  place: PlatformPlace,
  kind: string | undefined,
  id: string | undefined,
  all: boolean,
): Promise<void> {
  const held = await place.db.tx({ kind: 'platform' }, (tx) => heldDeletions(tx));
  const meant = all ? held : held.filter((one) => one.id === id && one.kind === kindOf(kind ?? ''));
  if (meant.length === 0)
    throw new UserError(`No deletion of ${kind ?? 'anything'} ${id ?? ''} is held. List them: outrider deletions`);
  for (const one of meant) {
    const part = (): Promise<boolean> =>
      place.db.tx({ kind: 'platform' }, (tx) => tombstonePart(tx, one.kind, one.id, place.now()));
    while (!(await part()));
    console.log(`${one.kind} ${one.id} is deleted.`);
  }
}

async function undo(place: PlatformPlace, kind: KindName, id: string): Promise<void> {
  const { db, now } = place;
  const platform = { kind: 'platform' } as const;
  const { objects, workflows } = await db.tx(platform, async (tx) => {
    const back = await bringBack(tx, kind, id, now());
    const held = (await heldDeletions(tx)).filter((one) => isBelow(one, kind, id));
    const flows = held.flatMap((one) => (one.kind === 'Workflow' ? [one.id] : []));
    if (held.length + back.workflows.length === 0) throw new UserError(await whyNotBack(tx, kind, id));
    return { objects: held, workflows: [...new Set([...flows, ...back.workflows])] };
  });
  let runs = 0;
  for (const workflow of workflows) runs += await revived(place, workflow);
  const manifests = await db.tx(platform, async (tx) => {
    const read: (Manifest | undefined)[] = [];
    for (const one of objects) read.push(await manifestOf(tx, one.kind, one.id, place.homeNamespace));
    return read.flatMap((manifest) => manifest ?? []);
  });
  for (const manifest of manifests) console.log(`---\n${JSON.stringify(manifest, null, 2)}`);
  console.error(
    toldOf(`${kind.toLowerCase()} ${id}`, {
      runs,
      objects: manifests.length,
      empty: objects.length - manifests.length,
    }),
  );
}

/** What came back, and what is to be done. */
function toldOf(what: string, { runs, objects, empty }: { runs: number; objects: number; empty: number }): string {
  const taken = `${runs} runs taken up.`;
  const left = empty > 0 ? ` ${empty} objects have no content left.` : '';
  if (objects === 0) return `${taken}${left} The objects are there: nothing is to be applied.`;
  return `${objects} objects, ${taken}${left} Nothing acts before they are applied: outrider deletions undo ${what} | kubectl apply -f -`;
}

async function revived({ db, now }: PlatformPlace, workflow: string): Promise<number> {
  let all = 0;
  for (;;) {
    const some = await db.tx({ kind: 'platform' }, (tx) => reviveRuns(tx, workflow, now()));
    if (some === 0) return all;
    all += some;
  }
}

/** What is held below a workspace or campaign comes back with it; heldDeletions has them in the order of a manifest. */
function isBelow(one: HeldDeletion, kind: KindName, id: string): boolean {
  if (kind === 'Workspace') return one.workspaceId === id;
  return (one.kind === kind && one.id === id) || (kind === 'Campaign' && one.campaignId === id);
}
