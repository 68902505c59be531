import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import type { CompactForm } from '../compact.ts';
import { notFound } from '../errors.ts';
import { iso } from '../times.ts';

/** Catalog record Persona. */
export const persona = z.object({
  personaId: z.string(),
  campaignId: z.string(),
  name: z.string(),
  description: z.string(),
  painPoints: z.array(z.string()),
  goals: z.array(z.string()),
  objections: z.array(z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** A persona of a list: as much of it as the caller asked for. */
export const listedPersona = persona.partial().required({ personaId: true });

/** Which persona it is; all of it is in the single one. */
export const PERSONA_FORM: CompactForm = {
  id: 'personaId',
  known: Object.keys(persona.shape),
  kept: ['campaignId', 'name', 'description'],
};

/** A row of `persona`. */
export interface PersonaRow {
  id: string;
  workspace_id: string;
  campaign_id: string;
  name: string;
  description: string;
  pain_points: string[];
  goals: string[];
  objections: string[];
  created_at: number;
  updated_at: number;
}

/** Points of a persona, as many as its record carries. */
export const points = z.array(z.string()).max(50).optional();

/** The record of a row. */
export function personaOf(row: PersonaRow): z.input<typeof persona> {
  return {
    personaId: row.id,
    campaignId: row.campaign_id,
    name: row.name,
    description: row.description,
    painPoints: row.pain_points,
    goals: row.goals,
    objections: row.objections,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  };
}

/** Reads a persona of a live campaign under the caller's rights. @throws UserError not found */
export async function requirePersona(tx: Tx, personaId: string): Promise<PersonaRow> {
  const row = isUuid(personaId)
    ? await tx.row<PersonaRow>(
        'select p.* from persona p join campaign c on c.id = p.campaign_id and c.deleted_at is null where p.id = $1',
        [personaId],
      )
    : undefined;
  if (!row) throw notFound('persona', personaId);
  return row;
}
