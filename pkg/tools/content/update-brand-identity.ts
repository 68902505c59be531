import { z } from 'zod';
import { readVoice, writeVoice } from '../../store/content/brand-voice.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { brandIdentityRecord, voiceOf, voiceRecord } from './voice.ts';

const list = (most: number) => z.array(z.string()).max(most).optional();

export const updateBrandIdentity = tool({
  name: 'svc_update_brand_identity',
  domain: 'Content',
  title: 'Update brand identity',
  description: 'Changes given fields of brand identity and voice. Next: svc_create_content_post.',
  example: { input: { brandName: 'Acme', toneWords: ['calm', 'exact'], bannedPhrases: ['game changer'] } },
  scope: 'content:write',
  category: 'write',
  // Live steps and planned posts are written in this voice.
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    brandName: z.string().max(120).optional(),
    tagline: z.string().max(300).optional(),
    description: z.string().max(5_000).optional(),
    audience: z.string().max(2_000).optional(),
    toneWords: list(20),
    dos: list(50),
    donts: list(50),
    bannedPhrases: list(200),
    examples: list(20),
    website: z.url().max(500).optional(),
  }),
  output: z.object({ brandIdentity: brandIdentityRecord, voice: voiceRecord, updatedAt: z.string() }),
  async run(ctx, { workspaceId: _workspace, ...given }) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const { updatedAt: _at, ...known } = await readVoice(tx, ctx.workspaceId);
      const changes = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      const voice = { ...known, ...changes };
      await writeVoice(tx, ctx.workspaceId, voice, now);
      return { ...voiceOf({ ...voice, updatedAt: now }), updatedAt: iso(now) };
    });
  },
});
