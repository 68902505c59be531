import { iso } from '../../times.ts';
import type { CheckContext } from './check.ts';

interface Merges {
  merges: number;
  last_at: number;
  kind: string;
}

const PROOFS: Readonly<Record<string, string>> = {
  identity: 'a profile or mail address that they share',
  provider: 'the id that the network gives both',
  scope: 'a change of the agency',
};

/** What a lead whose person stands for several should say beside what it is told of the person; '' for one who does not. */
export async function unitedNote({ tx, workspaceId }: CheckContext, leadId: string): Promise<string> {
  const found = await tx.row<Merges>('select merges, last_at, kind from app.merges_of_lead($1, $2)', [
    workspaceId,
    leadId,
  ]);
  if (!found) return '';
  const proof = PROOFS[found.kind] ?? found.kind;
  return ` The lead is one person with ${found.merges === 1 ? 'another' : `${found.merges} others`}, last found ${iso(found.last_at)} by ${proof}; if they are two humans, an operator parts them: \`outrider persons split ${leadId}\`.`;
}
