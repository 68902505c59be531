/** Who decides about a post, and whose it is. */
export interface Decision {
  /** The workspace demands approvals. */
  required: boolean;
  /** The user who counts as deciding: a key or a grant counts as its maker; null: nobody does. */
  decider: string | null;
  /** That user is a member of the workspace now. */
  isMember: boolean;
  /** Users who wrote what stands there. */
  authors: readonly string[];
}

/** Why somebody may not approve. */
export type EyesRefusal = 'nobody' | 'left' | 'author';

/** Four eyes where the workspace demands approval: nobody approves what they wrote, and whose maker has left approves nothing. Rule C7. */
export function mayApprove({ required, decider, isMember, authors }: Decision): EyesRefusal | null {
  if (!required) return null;
  if (decider === null) return 'nobody';
  if (!isMember) return 'left';
  return authors.includes(decider) ? 'author' : null;
}
