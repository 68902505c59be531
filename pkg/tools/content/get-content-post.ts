import { z } from 'zod';
import { previewOf } from '../../domain/content/post-text.ts';
import { mediaOf } from '../../store/content/content-media.ts';
import { marksOf } from '../../store/content/content-posts.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { previewRecord } from './post-input.ts';
import { contentPostOf, contentPostRecord, mediumOf, mediumRecord, requirePost } from './post-row.ts';

const timelineEvent = z.object({
  at: z.string(),
  kind: z.string(),
  nodeId: z.string().nullable(),
  actor: z.string(),
  text: z.string(),
  data: z.record(z.string(), z.unknown()),
});

export const getContentPost = tool({
  name: 'svc_get_content_post',
  domain: 'Content',
  title: 'Get content post',
  description: 'Reads one post with its approval trail and last failure. Next: svc_update_content_post.',
  example: { input: { contentPostId: '$contentPostId' } },
  scope: 'content:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ contentPostId: z.string().min(1) }),
  output: z.object({
    contentPost: contentPostRecord,
    history: z.array(timelineEvent),
    media: z.array(mediumRecord),
    preview: previewRecord,
  }),
  async run(ctx, { contentPostId }) {
    return ctx.tx(async (tx) => {
      const post = await requirePost(tx, contentPostId);
      const media = await mediaOf(tx, post.id);
      const marks = await marksOf(tx, post.id);
      return {
        contentPost: contentPostOf(
          post,
          media.map((medium) => medium.url),
        ),
        history: marks.map((mark) => ({ ...mark, at: iso(mark.at), nodeId: null })),
        media: media.map(mediumOf),
        preview: previewOf(post.text, media.length),
      };
    });
  },
});
