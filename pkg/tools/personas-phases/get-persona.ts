import { z } from 'zod';
import { tool } from '../tool.ts';
import { persona, personaOf, requirePersona } from './persona-row.ts';

export const getPersona = tool({
  name: 'svc_get_persona',
  domain: 'Personas & Phases',
  title: 'Get persona',
  description: 'Reads one persona. Next: svc_update_persona with its personaId.',
  example: { input: { personaId: '$personaId' } },
  scope: 'campaigns:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ personaId: z.string().min(1) }),
  output: z.object({ persona }),
  async run(ctx, input) {
    return { persona: personaOf(await ctx.tx((tx) => requirePersona(tx, input.personaId))) };
  },
});
