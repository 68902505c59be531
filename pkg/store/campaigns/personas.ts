import type { Tx } from '../../postgres/database.ts';

/** What is said of a persona. */
export interface PersonaText {
  name: string;
  description: string;
  painPoints: readonly string[];
  goals: readonly string[];
  objections: readonly string[];
}

/** @param persona `now`: epoch ms UTC, product time */
export async function insertPersona(
  tx: Tx,
  persona: { id: string; workspaceId: string; campaignId: string; text: PersonaText; now: number },
): Promise<void> {
  const { name, description, painPoints, goals, objections } = persona.text;
  await tx.exec(
    `insert into persona (
       id, workspace_id, campaign_id, name, description, pain_points, goals, objections, created_at, updated_at
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
    [
      persona.id,
      persona.workspaceId,
      persona.campaignId,
      name,
      description,
      painPoints,
      goals,
      objections,
      persona.now,
    ],
  );
}

/** Replaces the fields that are not null. @param now epoch ms UTC, product time */
export async function changePersona(
  tx: Tx,
  id: string,
  text: { [field in keyof PersonaText]: PersonaText[field] | null },
  now: number,
): Promise<void> {
  await tx.exec(
    `update persona
     set
       name = coalesce($2, name),
       description = coalesce($3, description),
       pain_points = coalesce($4, pain_points),
       goals = coalesce($5, goals),
       objections = coalesce($6, objections),
       updated_at = $7
     where id = $1`,
    [id, text.name, text.description, text.painPoints, text.goals, text.objections, now],
  );
}

export async function deletePersonaRow(tx: Tx, id: string): Promise<void> {
  await tx.exec('delete from persona where id = $1', [id]);
}
