import { z } from 'zod';
import { tool } from '../tool.ts';
import { direct, directResult, timingParams } from './direct-action.ts';
import { actingParam, personParams } from './direct-params.ts';
import { planForPerson } from './plan-for-person.ts';

export const followProfile = tool({
  name: 'svc_follow_profile',
  domain: 'Outreach',
  title: 'Follow profile',
  description: 'Follows a person, where the network offers a call for it. Next: svc_send_connection_request.',
  example: { input: { profileUrl: 'https://www.linkedin.com/in/followed-by-hand' }, other: { timing: 'now' } },
  scope: 'outreach:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'param',
  input: z.strictObject({ ...actingParam, ...personParams, ...timingParams('paced') }),
  output: z.object(directResult),
  async run(ctx, request) {
    const { result } = await direct(ctx, request.timing, (tx) =>
      planForPerson(ctx, tx, request, {
        action: 'follow',
        once: `follow:${request.networkAccountId ?? ''}`,
        body: null,
        target: {},
        unclaimed: false,
        human: false,
      }),
    );
    return result;
  },
});
