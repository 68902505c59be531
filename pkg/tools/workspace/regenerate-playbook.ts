import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { creditsFor } from '../../domain/credits.ts';
import { readPlaybook, writePlaybook } from '../../store/playbooks/playbook.ts';
import { actorOf } from '../actor-of.ts';
import { charged } from '../charge.ts';
import { naturalKeyParam } from '../key-params.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { writerOf } from '../writer-of.ts';
import { playbookFacts } from './playbook-facts.ts';

/** Longest playbook. Source: catalog, svc_update_workspace. */
const MAX_LENGTH = 50_000;

export const regeneratePlaybook = tool({
  name: 'svc_regenerate_playbook',
  domain: 'Workspace',
  title: 'Regenerate playbook',
  description:
    'Rewrites the whole workspace playbook with AI, manual edits included; the old text stays restorable in the history. Read svc_get_playbook first. Next: svc_get_playbook.',
  example: {
    input: { website: 'https://acorn.example', instructions: 'Plain and short' },
    other: { instructions: 'Long and colourful' },
  },
  scope: 'workspace:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    website: z.url().max(500).optional(),
    instructions: z.string().max(4_000).optional(),
    expectedVersion: z.int().min(1).optional(),
    maxCredits: z.int().min(0).optional().describe('Refuse when the estimate is above this.'),
    idempotencyKey: naturalKeyParam,
  }),
  output: z.object({
    playbook: z.string(),
    version: z.string(),
    previousVersion: z.string().nullable(),
    creditsSpent: z.number(),
    notes: z.array(z.string()),
  }),
  async run(ctx, input) {
    const { workspaceId } = ctx;
    const writer = await writerOf(ctx, workspaceId);
    const price = writer.billable ? creditsFor('ai_playbook', 1) : 0;
    // Before anything is held: a refusal writes nothing. The same call made again is answered as before, whatever it changed.
    if (input.expectedVersion !== undefined && !(await ctx.earlier(workspaceId))) {
      const inForce = (await ctx.tx((tx) => readPlaybook(tx, workspaceId)))?.version ?? 0;
      if (input.expectedVersion !== inForce) throw changed(inForce);
    }
    return charged(
      ctx,
      {
        workspaceId,
        action: 'ai_playbook',
        estimate: price,
        maxCredits: input.maxCredits,
      },
      async () => {
        const facts = await ctx.tx((tx) => playbookFacts(tx, workspaceId, input));
        const { text, byModel, notes } = await writer.writePlaybook(facts);
        return { made: { text: text.slice(0, MAX_LENGTH), byModel, notes }, credits: byModel ? price : 0 };
      },
      async (tx, { text, byModel, notes }, creditsSpent) => {
        const written = await writePlaybook(
          tx,
          {
            workspaceId,
            text,
            source: 'generated',
            writer: byModel ? writer.name : 'template',
            createdBy: actorOf(ctx),
            createdAt: ctx.clocks.product.now(),
          },
          input.expectedVersion,
        );
        if (written.kind === 'changed') throw changed(written.version);
        return {
          playbook: text,
          version: String(written.version),
          previousVersion: written.previous === null ? null : String(written.previous),
          creditsSpent,
          notes: [...notes],
        };
      },
    );
  },
});

function changed(version: number): UserError {
  const now = version === 0 ? 'there is no playbook yet' : `the playbook is at version ${version}`;
  return new UserError(`Not the expected version: ${now}. Call svc_get_playbook to read it.`, 'VersionConflict');
}
