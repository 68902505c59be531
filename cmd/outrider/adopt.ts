import type { Command } from 'commander';
import { UserError } from '../../pkg/base/errors.ts';
import { confirmAdoption, type RefusedAdoption, refusedAdoptions } from '../../pkg/store/restore/adoption.ts';
import { type Installation, onPlatform } from './installation.ts';

/** `outrider adopt`: hands the rows of a workspace to an object of its name that is another owner's or agency's. */
export function addAdoptCommand(program: Command): void {
  program
    .command('adopt [workspace]')
    .description(
      'let a Workspace that is Stalled for NameTaken have the history of its name; without an id: list those that wait',
    )
    .action((workspace?: string) =>
      onPlatform((place) => (workspace === undefined ? list(place) : confirm(place, workspace))),
    );
}

async function list({ db }: Installation): Promise<void> {
  const waiting = await db.tx({ kind: 'platform' }, refusedAdoptions);
  if (waiting.length === 0) console.log('No Workspace waits for the history of its name.');
  for (const one of waiting) console.log(lineOf(one));
}

async function confirm({ db, now }: Installation, workspace: string): Promise<void> {
  const confirmed = await db.tx({ kind: 'platform' }, (tx) => confirmAdoption(tx, workspace, now()));
  if (!confirmed)
    throw new UserError(`No Workspace ${workspace} waits for the history of its name. List them: outrider adopt`);
  console.log(
    `Workspace ${workspace} gets the history of its name within seconds. Members and keys of the former owner stay: look at svc_list_members and svc_list_api_keys.`,
  );
}

function lineOf({
  workspaceId,
  uid,
  owner,
  agencyId,
  confirmedAt,
  formerOwner,
  formerAgencyId,
}: RefusedAdoption): string {
  const asks = `${owner}${agencyId === null ? '' : `, agency ${agencyId}`}`;
  const has = `${formerOwner ?? 'nobody'}${formerAgencyId === null ? '' : `, agency ${formerAgencyId}`}`;
  const next = confirmedAt === null ? `confirm with: outrider adopt ${workspaceId}` : 'confirmed';
  return `${workspaceId}  object ${uid} of ${asks} asks for the history of ${has}; ${next}`;
}
