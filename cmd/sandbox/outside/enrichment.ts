import { z } from 'zod';
import type { Call, Reply } from '../http.ts';
import type { World } from '../world.ts';
import { note } from './book.ts';

type Service = 'pdl' | 'hunter' | 'apollo' | 'dropcontact';

/**
 * `GET /v5/person/enrich`: knows everybody but those called Nobody, and only guesses who those called Maybe are. `GET /v5/company/enrich`:
 * knows every company with a website.
 */
export function peopleDataLabs(world: World, call: Call): Reply {
  if (call.path.includes('company')) return companyOfPdl(world, call);
  const name = call.query.get('name') ?? '';
  noteQuestion(world, call, 'pdl', name);
  const likelihood = name.startsWith('Maybe') ? 4 : 9;
  if (name === '' || name.startsWith('Nobody') || likelihood < Number(call.query.get('min_likelihood') ?? 2))
    return { status: 404, body: { status: 404, error: { type: 'not_found' } } };
  const data = {
    full_name: name,
    job_title: 'head of operations',
    industry: 'logistics',
    location_name: 'berlin, germany',
    location_country: 'germany',
    work_email: mailOf(name),
    mobile_phone: '+4930123456',
  };
  return { status: 200, body: { status: 200, likelihood, data } };
}

function companyOfPdl(world: World, call: Call): Reply {
  const website = call.query.get('website') ?? '';
  noteQuestion(world, call, 'pdl', website);
  if (website === '') return { status: 404, body: { status: 404, error: { type: 'not_found' } } };
  const body = {
    status: 200,
    likelihood: 9,
    website,
    size: '51-200',
    employee_count: 120,
    industry: 'logistics',
    location: { name: 'berlin, germany' },
    latest_funding_stage: 'series_a',
    last_funding_date: '2025-11-03',
    employee_growth_rate: { '12_month': 0.25 },
    linkedin_url: 'linkedin.com/company/sandbox',
  };
  return { status: 200, body };
}

/** `GET /v2/email-finder` and `/v2/email-verifier`. */
export function hunter(world: World, call: Call): Reply {
  const email = call.query.get('email');
  noteQuestion(world, call, 'hunter', email ?? call.query.get('last_name') ?? '');
  if (email !== null)
    return { status: 200, body: { data: { email, status: email.includes('bad') ? 'invalid' : 'valid' } } };
  return { status: 200, body: { data: { email: null } } };
}

/** `POST /api/v1/people/match` and `GET /api/v1/organizations/enrich`: people called Nobody are unknown, addresses of those called Locked stay locked. */
export function apollo(world: World, call: Call): Reply {
  const name = call.query.get('name') ?? '';
  const domain = call.query.get('domain');
  noteQuestion(world, call, 'apollo', domain ?? name);
  if (domain !== null) {
    const organization = {
      name: domain.split('.')[0],
      primary_domain: domain,
      website_url: `http://www.${domain}`,
      industry: 'logistics',
      estimated_num_employees: 130,
      organization_headcount_twelve_month_growth: 0.1,
      city: 'Berlin',
      country: 'Germany',
      latest_funding_stage: 'Series A',
      latest_funding_round_date: '2025-11-03T00:00:00.000+00:00',
      technology_names: ['Postgres'],
    };
    return { status: 200, body: { organization } };
  }
  if (name === '' || name.startsWith('Nobody')) return { status: 200, body: { person: null } };
  const locked = name.startsWith('Locked');
  const person = {
    name,
    title: 'Head of Operations',
    headline: 'Head of Operations',
    email: locked ? 'email_not_unlocked@domain.com' : mailOf(name),
    email_status: locked ? 'unavailable' : 'verified',
    city: 'Berlin',
    country: 'Germany',
    organization: { name: call.query.get('organization_name') ?? '', primary_domain: 'work.example' },
  };
  return { status: 200, body: { person } };
}

const asked = z.object({ data: z.array(z.object({ full_name: z.string().optional() })).min(1) });

/** `POST /v1/enrich/all` takes a question, whose id is the name in it; `GET /v1/enrich/all/{request_id}` is not ready the first time. */
export function dropcontact(world: World, call: Call): Reply {
  const ref = call.path.at(-1) ?? '';
  if (call.method === 'POST') {
    const name = asked.parse(call.body).data[0]?.full_name ?? '';
    noteQuestion(world, call, 'dropcontact', name);
    const body = {
      error: false,
      success: true,
      request_id: `req_${Buffer.from(name).toString('hex')}`,
      credits_left: 100,
    };
    return { status: 200, body };
  }
  const before = world.store.one<{ n: number }>(
    `select count(*) as n from outside_call where service = 'dropcontact' and action = 'ask' and about = ?`,
    ref,
  );
  noteQuestion(world, call, 'dropcontact', ref);
  if (!before?.n) {
    const reason = 'Request not ready yet, try again in 30 seconds';
    return { status: 200, body: { error: false, success: false, reason } };
  }
  const name = Buffer.from(ref.replace('req_', ''), 'hex').toString();
  const email = name.startsWith('Nobody') ? [] : [{ email: mailOf(name), qualification: 'nominative@pro' }];
  return { status: 200, body: { error: false, success: true, data: [{ full_name: name, email }] } };
}

const mailOf = (name: string): string => `${name.toLowerCase().replaceAll(' ', '.')}@work.example`;

function noteQuestion(world: World, call: Call, service: Service, about: string): void {
  const { idempotencyKey } = call;
  const body = Object.fromEntries(call.query);
  note(world.store, { at: world.clock.now(), service, action: 'ask', about, idempotencyKey, headers: {}, body });
}
