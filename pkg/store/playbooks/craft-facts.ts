import type { Tx } from '../../postgres/database.ts';

export interface PersonaRow {
  name: string;
  description: string;
  painPoints: string[];
  goals: string[];
}

/** A persona of the workspace. */
export function readPersona(tx: Tx, workspaceId: string, personaId: string): Promise<PersonaRow | undefined> {
  return tx.row<PersonaRow>(
    `select name, description, pain_points as "painPoints", goals
     from persona
     where id::text = $2 and workspace_id = $1`,
    [workspaceId, personaId],
  );
}

/** The latest message that a person wrote to an account of the workspace; epoch ms product time. */
export function readLatestReply(
  tx: Tx,
  personId: string,
): Promise<{ id: string; text: string; at: number; accountId: string } | undefined> {
  return tx.row<{ id: string; text: string; at: number; accountId: string }>(
    `select m.id, m.body as text, m.sent_at as at, c.account_id as "accountId"
     from conversation c
     join message m on m.conversation_id = c.id
     where c.id in (
         select o.id from conversation o where o.person_id = $1
         union
         select o.id
         from relation r
         join conversation o on o.account_id = r.account_id and o.provider_id = r.provider_id
         where r.person_id = $1 and r.provider_id <> ''
       )
       and m.direction = 'in'
     order by m.sent_at desc limit 1`,
    [personId],
  );
}
