import { workspace } from '../../app/session.ts';

/** Whether the member decides drafts: reviewers do, though no scope of theirs says so. */
export function decides(): boolean {
  const of = workspace.value;
  return of?.role === 'reviewer' || of?.scopes.includes('workflows:write') === true;
}
