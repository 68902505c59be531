import { expect } from 'chai';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { webhookSignature } from '../../../../pkg/domain/webhook-signature.ts';
import { startWebhookFixture, type WebhookFixture } from '../../../fixtures/tools/webhook-fixture.ts';
import type { ToolUser } from '../../../tools/mcp-tools.ts';
import { type Received, startWebhookReceiver, type WebhookReceiver } from '../../../tools/webhook-receiver.ts';

interface Connected {
  integrationId: string;
  signingSecret: string;
  replayed: number | null;
}

describe('tools: webhooks, from an event to its receiver', function () {
  this.timeout(60_000);
  let fixture: WebhookFixture;
  let receiver: WebhookReceiver;
  let acme: ToolUser;

  before(async () => {
    fixture = await startWebhookFixture();
    receiver = await startWebhookReceiver();
    acme = await fixture.tools.as({ workspace: 'acme' });
  });
  after(async () => {
    await receiver.close();
    await fixture.stop();
  });
  beforeEach(() => {
    receiver.behave();
    receiver.got.length = 0;
  });

  const connect = (more: object = {}, user = acme): Promise<Connected> =>
    user.call<Connected>('svc_connect_integration', { provider: 'webhook', url: receiver.url, ...more });
  const disconnect = ({ integrationId }: Connected): Promise<unknown> =>
    acme.call('svc_disconnect_integration', { integrationId });
  const told = (): Received[] => receiver.got.filter(({ headers }) => headers['x-svc-event'] !== 'ping');

  it('an event is one signed POST, which svix and standardwebhooks verify with the secret as it was shown', async () => {
    const made = await connect({ events: ['lead.created'] });
    const { leadId } = await acme.call<{ leadId: string }>('svc_upsert_lead', {
      profileUrl: 'https://www.linkedin.com/in/ada-hook',
    });
    await fixture.deliver();
    const [got, ...more] = told();
    expect(more).to.deep.equal([]);
    if (!got) throw new Error('nothing was delivered');
    expect(got.event).to.deep.include({ kind: 'lead.created', workspaceId: 'acme', data: { leadIds: [leadId] } });
    expect(Object.keys(got.event)).to.deep.equal(['id', 'kind', 'occurredAt', 'workspaceId', 'sequence', 'data']);
    for (const Judge of [SvixWebhook, StandardWebhook]) {
      new Judge(made.signingSecret).verify(got.body, got.headers);
      expect(() => new Judge(made.signingSecret).verify(`${got.body} `, got.headers)).to.throw();
    }
    const timestamp = Number(got.headers['x-svc-timestamp']);
    expect(got.headers['x-svc-signature']).to.equal(webhookSignature([made.signingSecret], timestamp, got.body));
    expect(got.headers['x-svc-delivery']).to.equal(got.headers['webhook-id']);
    await fixture.deliver();
    expect(told(), 'later').to.have.length(1);
    await disconnect(made);
  });
});
