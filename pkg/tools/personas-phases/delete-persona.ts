import { z } from 'zod';
import { deletePersonaRow } from '../../store/campaigns/personas.ts';
import { tool } from '../tool.ts';
import { requirePersona } from './persona-row.ts';

export const deletePersona = tool({
  name: 'svc_delete_persona',
  domain: 'Personas & Phases',
  title: 'Delete persona',
  description: 'Removes a persona; drafts already written with it stay. Next: svc_list_personas.',
  example: { input: { personaId: '$personaId' } },
  scope: 'campaigns:write',
  category: 'write',
  // Live steps go on to write without it.
  reaches: true,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ personaId: z.string().min(1) }),
  output: z.object({ personaId: z.string(), deleted: z.boolean() }),
  async run(ctx, input) {
    await ctx.tx(async (tx) => {
      const row = await requirePersona(tx, input.personaId);
      await deletePersonaRow(tx, row.id);
    });
    return { personaId: input.personaId, deleted: true };
  },
});
