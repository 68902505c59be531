import type { Command } from 'commander';
import type { KindName } from '../../pkg/api/specs.ts';
import { UserError } from '../../pkg/base/errors.ts';
import { tombstonePart } from '../../pkg/store/erasure/tombstones.ts';
import { reviveRuns, undeleteWorkflow } from '../../pkg/store/restore/bring-back.ts';
import { type HeldDeletion, heldDeletions } from '../../pkg/store/restore/held-deletions.ts';
import { deletedWorkflows, type Manifest, manifestOf } from '../../pkg/store/restore/spec-of-rows.ts';
import { onPlatform, type PlatformPlace } from './installation.ts';
import { kindOf } from './kind-of.ts';

/** `outrider deletions`: deletions that nobody can have meant, and workflows that can be brought back. */
export function addDeletionsCommand(program: Command): void {
  const deletions = program
    .command('deletions')
    .description('deletions that are held until somebody says what was meant, and workflows that can be brought back');
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
      'print the object as its rows remember it, with what is held below it, for kubectl apply -f -; a workflow that was deleted for good lives again with its runs',
    )
    .action((kind: string, id: string) => onPlatform((place) => undo(place, kindOf(kind), id)));
}

async function list({ db }: PlatformPlace, workspace: string | undefined): Promise<void> {
  const { held, deleted } = await db.tx({ kind: 'platform' }, async (tx) => ({
    held: await heldDeletions(tx, workspace),
    deleted: await deletedWorkflows(tx, workspace),
  }));
  if (held.length === 0) console.log('No deletion is held.');
  for (const one of held) console.log(heldLine(one));
  for (const { id, name, deletedAt, runs } of deleted) {
    const at = new Date(deletedAt).toISOString();
    console.log(
      `deleted  workflow ${id} (${name}) at ${at}, which ended ${runs} runs: outrider deletions undo workflow ${id}`,
    );
  }
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
  const all = await db.tx({ kind: 'platform' }, (tx) => heldDeletions(tx));
  let found = all.filter((one) => isBelow(one, kind, id));
  if (found.length === 0) {
    const back = kind === 'Workflow' && (await db.tx({ kind: 'platform' }, (tx) => undeleteWorkflow(tx, id, now())));
    if (!back) throw new UserError(notToUndo(kind, id));
    found = [{ kind, id, workspaceId: '', campaignId: null, reason: '', heldAt: 0 }];
  }
  let runs = 0;
  for (const one of found) if (one.kind === 'Workflow') runs += await revived(place, one.id);
  const manifests = await db.tx({ kind: 'platform' }, async (tx) => {
    const read: (Manifest | undefined)[] = [];
    for (const one of found) read.push(await manifestOf(tx, one.kind, one.id, place.homeNamespace));
    return read.flatMap((manifest) => manifest ?? []);
  });
  for (const manifest of manifests) console.log(`---\n${JSON.stringify(manifest, null, 2)}`);
  const rest = found.length - manifests.length;
  console.error(
    `${manifests.length} objects, ${runs} runs taken up. Apply them: outrider deletions undo ${kind.toLowerCase()} ${id} | kubectl apply -f -${rest > 0 ? ` (${rest} have no content left)` : ''}`,
  );
}

async function revived({ db, now }: PlatformPlace, workflow: string): Promise<number> {
  let all = 0;
  for (;;) {
    const some = await db.tx({ kind: 'platform' }, (tx) => reviveRuns(tx, workflow, now()));
    if (some === 0) return all;
    all += some;
  }
}

/** What is held below a workspace or campaign comes back with it. */
function isBelow(one: HeldDeletion, kind: KindName, id: string): boolean {
  if (kind === 'Workspace') return one.workspaceId === id;
  return (one.kind === kind && one.id === id) || (kind === 'Campaign' && one.campaignId === id);
}

function notToUndo(kind: KindName, id: string): string {
  const more = kind === 'Workflow' ? ' It is unknown, its campaign is deleted, or its content is kept no longer.' : '';
  return `No deletion of ${kind.toLowerCase()} ${id} can be undone.${more} List them: outrider deletions`;
}
