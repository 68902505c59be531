import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { NEVER } from '../../../pkg/base/clock.ts';
import type { EnrichField } from '../../../pkg/domain/enrichment/enrich-fields.ts';
import type { OutsideContact } from '../../../pkg/domain/outside-contact.ts';
import { CallError } from '../../../pkg/providers/call-error.ts';
import { apollo } from '../../../pkg/providers/enrichment/apollo.ts';
import { dropcontact } from '../../../pkg/providers/enrichment/dropcontact.ts';
import type { Enrichment, EnrichmentProvider } from '../../../pkg/providers/enrichment/enrichment-provider.ts';
import { hunter } from '../../../pkg/providers/enrichment/hunter.ts';
import { peopleDataLabs } from '../../../pkg/providers/enrichment/people-data-labs.ts';

type Answer = { status: number; body?: object };

const ADA: OutsideContact = {
  leadId: 'l',
  firstName: 'Ada',
  lastName: 'Love',
  fullName: 'Ada Love',
  title: '',
  company: 'Acme',
  email: null,
  profileUrl: '',
  country: '',
};

describe('services that know more about a person, as they answer', () => {
  let server: Server;
  let url: string;
  let answer: (path: string, query: URLSearchParams) => Answer;
  before(async () => {
    server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://here');
      const { status, body = {} } = answer(pathname.split('/').at(-1) ?? '', searchParams);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const find = (provider: EnrichmentProvider, fields: EnrichField[], last = false): Promise<Enrichment> =>
    provider.find(ADA, fields, { signal: NEVER, last });
  const kindOf = (asked: Promise<Enrichment>): Promise<string> =>
    asked.then(
      (found) => JSON.stringify(found),
      (error: unknown) => (error instanceof CallError ? error.kind : String(error)),
    );
  const service = (): EnrichmentProvider => hunter({ url, apiKey: 'key-of-hunter' });

  it('hunter: 403 is its limit of requests, 222 a mail server that did not answer, 451 a person who wishes to be left out', async () => {
    answer = () => ({ status: 403, body: { errors: [{ id: 'too_many_requests', code: 403 }] } });
    expect(await kindOf(find(service(), ['email']))).to.equal('busy');
    answer = () => ({ status: 429, body: { errors: [{ id: 'too_many_requests', code: 429 }] } });
    expect(await kindOf(find(service(), ['email'])), 'its plan is used up').to.equal('refused');
    answer = (path) =>
      path === 'email-finder'
        ? { status: 200, body: { data: { email: 'Ada@Acme.example' } } }
        : { status: 222, body: { errors: [{ id: 'verification_failed', code: 222 }] } };
    expect(await kindOf(find(service(), ['email', 'email_verification']))).to.equal('busy');
    answer = () => ({ status: 451, body: { errors: [{ id: 'claimed_email', code: 451 }] } });
    expect(await find(service(), ['email', 'email_verification'])).to.deep.equal({});
  });

  it('hunter: an address that was found is kept when its verification does not come in the end', async () => {
    answer = (path) =>
      path === 'email-finder' ? { status: 200, body: { data: { email: 'Ada@Acme.example' } } } : { status: 202 };
    expect(await kindOf(find(service(), ['email', 'email_verification'])), 'asked again').to.equal('busy');
    expect(await find(service(), ['email', 'email_verification'], true)).to.deep.equal({ email: 'ada@acme.example' });
    answer = (path) =>
      path === 'email-finder' ? { status: 200, body: { data: { email: 'ada@acme.example' } } } : { status: 400 };
    expect(await find(service(), ['email', 'email_verification'])).to.deep.equal({ email: 'ada@acme.example' });
  });

  it('what is no address is not found, no matter who says so', async () => {
    for (const email of ['true', 'ada@', 'ada @acme.example', `${'x'.repeat(300)}@acme.example`, '']) {
      answer = () => ({ status: 200, body: { data: { email, work_email: email, job_title: 'Countess' } } });
      expect(await find(service(), ['email']), email).to.deep.equal({});
      const labs = peopleDataLabs({ url, apiKey: 'key-of-labs' });
      expect(await find(labs, ['profile', 'email']), email).to.deep.equal({ profile: { title: 'Countess' } });
    }
  });

  it('people data labs: somebody who is only likely to be meant is not taken for the person', async () => {
    const likely = (likelihood: number) => (_path: string, query: URLSearchParams) =>
      likelihood < Number(query.get('min_likelihood') ?? 2)
        ? { status: 404, body: { status: 404 } }
        : { status: 200, body: { status: 200, likelihood, data: { work_email: 'ada@other.example' } } };
    const labs = peopleDataLabs({ url, apiKey: 'key-of-labs' });
    answer = likely(3);
    expect(await find(labs, ['email'])).to.deep.equal({});
    answer = likely(8);
    expect(await find(labs, ['email'])).to.deep.equal({ email: 'ada@other.example', confidence: 0.8 });
  });

  it('apollo: a locked or guessed address is not found, a verified one is valid; 422 says that it can know nobody by this', async () => {
    const one = apollo({ url, apiKey: 'key-of-apollo' });
    const told = (person: object | null): void => {
      answer = () => ({ status: 200, body: { person } });
    };
    told({ name: 'Ada Love', email: 'email_not_unlocked@domain.com', title: 'Countess' });
    expect(await find(one, ['email', 'profile']))
      .to.deep.include({ profile: { title: 'Countess' } })
      .and.not.have.property('email');
    told({ name: 'Ada Love', email: 'ada@acme.example', email_status: 'guessed' });
    expect(await find(one, ['email'])).to.not.have.property('email');
    told({ name: 'Ada Love', email: 'Ada@Acme.example', email_status: 'verified', organization: { name: 'Acme' } });
    expect(await find(one, ['email'])).to.deep.equal({
      who: { fullName: 'Ada Love', company: 'Acme', domain: '' },
      email: 'ada@acme.example',
      emailStatus: 'valid',
    });
    told(null);
    expect(await find(one, ['email'])).to.deep.equal({});
    answer = () => ({ status: 422, body: { error: 'insufficient' } });
    expect(await find(one, ['email'])).to.deep.equal({});
    answer = () => ({ status: 401, body: { error: 'the key key-of-apollo is wrong' } });
    const refused = await find(one, ['email']).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(CallError).with.property('kind', 'auth');
    expect(String(refused), 'no key in an error').to.not.contain('key-of-apollo');
  });

  it('dropcontact: takes the question and is asked for the answer under its id; only a mailbox of a person at work counts', async () => {
    const one = dropcontact({ url, apiKey: 'key-of-dropcontact' });
    answer = () => ({ status: 200, body: { error: false, success: true, request_id: 'req_1' } });
    expect(await find(one, ['email'])).to.deep.equal({ pending: { ref: 'req_1', askAfterMs: 30_000 } });
    const later = (body: object): Promise<Enrichment> => {
      answer = (path) => (path === 'req_1' ? { status: 200, body } : { status: 404 });
      return one.find(ADA, ['email'], { signal: NEVER, last: false, ref: 'req_1' });
    };
    expect(await later({ success: false, reason: 'Request not ready yet' })).to.have.property('pending');
    const email = [
      { email: 'info@acme.example', qualification: 'generic@pro' },
      { email: 'Ada@Acme.example', qualification: 'nominative@pro' },
    ];
    expect(
      await later({ success: true, data: [{ full_name: 'Ada Love', website: 'https://www.acme.example/x', email }] }),
    ).to.deep.equal({
      who: { fullName: 'Ada Love', company: '', domain: 'acme.example' },
      email: 'ada@acme.example',
      emailStatus: 'valid',
    });
    expect(await later({ success: true, data: [{ full_name: 'Ada Love', email: [] }] })).to.not.have.property('email');
  });
});
