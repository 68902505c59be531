import { refusedAdoptions } from '../../store/restore/adoption.ts';
import { heldDeletions } from '../../store/restore/held-deletions.ts';
import { type DoctorCheck, type Finding, problem } from './finding.ts';

/** Objects that are gone and whose rows rest, until somebody says what was meant. */
export const restingRows: DoctorCheck = {
  name: 'no deletion waits for a word',
  async run({ tx }): Promise<Finding[]> {
    const held = await heldDeletions(tx);
    const workspaces = [...new Set(held.map((one) => one.workspaceId))];
    return workspaces.map((workspace) => {
      const own = held.filter((one) => one.workspaceId === workspace);
      const [first] = own;
      const named = first ? `${first.kind} ${first.id}: ${first.reason}` : '';
      return problem(
        'held_deletions',
        `Of workspace ${workspace} ${own.length} objects are gone and their rows rest (${named}).`,
        `Apply them again, or print them from their rows: outrider deletions --workspace ${workspace}. If it was meant: outrider deletions confirm.`,
      );
    });
  },
};

/** Objects that bear the name of rows of somebody else. */
export const refusedObjects: DoctorCheck = {
  name: 'each workspace has the rows of its name',
  async run({ tx }): Promise<Finding[]> {
    const refused = (await refusedAdoptions(tx)).filter((one) => one.confirmedAt === null);
    return refused.map(({ workspaceId, owner }) =>
      problem(
        'name_taken',
        `The Workspace ${workspaceId} of ${owner} is Stalled: the history of its name is another's.`,
        `Give it another name, or hand the history over: outrider adopt ${workspaceId}.`,
      ),
    );
  },
};
