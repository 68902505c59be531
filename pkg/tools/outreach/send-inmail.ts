import { z } from 'zod';
import { tool } from '../tool.ts';
import { direct, directResult, timingParams } from './direct-action.ts';
import { actingParam, personParams } from './direct-params.ts';
import { planForPerson } from './plan-for-person.ts';

export const sendInmail = tool({
  name: 'svc_send_inmail',
  domain: 'Outreach',
  title: 'Send InMail',
  description:
    "Sends an InMail to someone outside the network; counts the account's InMail allowance. Next: svc_list_messages.",
  example: {
    input: {
      networkAccountId: '$salesAccountId',
      profileUrl: 'https://www.linkedin.com/in/written-by-inmail',
      subject: 'Your talk in Lyon',
      body: 'It answered a question of ours. May I ask a second one?',
    },
    other: { subject: 'Your talk in Nice' },
  },
  scope: 'outreach:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'param',
  input: z.strictObject({
    ...actingParam,
    ...personParams,
    subject: z.string().min(1).max(200),
    body: z.string().min(1).max(1_900),
    ...timingParams('paced'),
  }),
  output: z.object(directResult),
  async run(ctx, request) {
    const { subject, body, timing } = request;
    const { result } = await direct(ctx, timing, (tx) =>
      planForPerson(ctx, tx, request, {
        action: 'inmail',
        once: `tool:${ctx.ids.uuid()}`,
        body,
        target: { subject },
        unclaimed: true,
        human: true,
      }),
    );
    return result;
  },
});
