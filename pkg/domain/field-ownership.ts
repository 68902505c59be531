/** Whose value of a field counts, where both sides have one: ours, the CRM's, or the one that was changed last. */
export const FIELD_OWNERS = ['ours', 'theirs', 'newest'] as const;
export type FieldOwner = (typeof FIELD_OWNERS)[number];

/** What becomes of a value that a CRM tells. `replace` overwrites what a person entered here too. */
export type IncomingMode = 'leave' | 'fill_empty' | 'overwrite' | 'replace';

export interface Incoming {
  /** null: nobody said whose it is; `onDuplicate` decides. */
  owner: FieldOwner | null;
  onDuplicate: 'skip' | 'fill_empty' | 'overwrite';
  /** It is what we wrote there ourselves. */
  echo: boolean;
  /** When it was changed there and here, epoch ms; null: unknown. */
  theirsAt: number | null;
  oursAt: number | null;
}

/** What becomes of a value that a CRM tells about a lead that is known. An echo of ours is no news: nothing is undone by it. */
export function incomingMode({ owner, onDuplicate, echo, theirsAt, oursAt }: Incoming): IncomingMode {
  if (echo) return 'leave';
  if (owner === 'ours') return 'fill_empty';
  if (owner === 'theirs') return 'replace';
  if (owner === 'newest') return (theirsAt ?? 0) > (oursAt ?? 0) ? 'replace' : 'fill_empty';
  return onDuplicate === 'skip' ? 'leave' : onDuplicate;
}

/** Whether our value is told to the CRM: it is ours, or newer than theirs, and another one. */
export function isToldToCrm(
  { owner, theirsAt, oursAt }: Pick<Incoming, 'owner' | 'theirsAt' | 'oursAt'>,
  ours: string,
  theirs: string,
): boolean {
  if (ours === '' || ours === theirs) return false;
  return owner === 'ours' || (owner === 'newest' && (oursAt ?? 0) > (theirsAt ?? 0));
}
