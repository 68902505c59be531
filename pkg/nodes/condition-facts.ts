import type { FactValue } from '../domain/condition.ts';
import { hasReplied } from '../domain/replied.ts';
import type { LeadFacts, StepInput } from './node-type.ts';

const DAY_MS = 86_400_000;

function leadFact(lead: LeadFacts, name: string): FactValue {
  if (name.startsWith('customFields.')) {
    const field = name.slice('customFields.'.length);
    return Object.hasOwn(lead.customFields, field) ? (lead.customFields[field] ?? null) : null;
  }
  const values: Record<string, FactValue> = {
    firstName: lead.firstName,
    lastName: lead.lastName,
    fullName: lead.fullName,
    title: lead.title,
    headline: lead.headline,
    company: lead.company,
    industry: lead.industry,
    seniority: lead.seniority,
    location: lead.location,
    country: lead.country,
    email: lead.email,
    timezone: lead.timezone,
    profileUrl: lead.profileUrl,
    tags: lead.tags,
  };
  return Object.hasOwn(values, name) ? (values[name] ?? null) : null;
}

function runFact(input: StepInput, name: string): FactValue {
  const { facts } = input;
  if (name === 'connected') return facts.connected ?? false;
  if (name === 'replied') return hasReplied(facts);
  if (name === 'replyClass') return facts.replyClass ?? null;
  return facts.lastTouchAt === undefined ? null : Math.floor((input.now - facts.lastTouchAt) / DAY_MS);
}

function companyFact(lead: LeadFacts, name: string): FactValue {
  if (name === 'name') return lead.company;
  return name === 'industry' ? lead.industry : lead.companySize;
}

/** The value of a condition's field in this step; null when unknown. A signal's value is when it happened. */
export function conditionFact(input: StepInput, field: string): FactValue {
  const dot = field.indexOf('.');
  const name = field.slice(dot + 1);
  switch (field.slice(0, dot)) {
    case 'lead':
      return leadFact(input.lead, name);
    case 'score': {
      const score = input.lead.score;
      return score?.[name as 'total' | 'icp' | 'signals'] ?? null;
    }
    case 'run':
      return runFact(input, name);
    case 'signal':
      return input.signals?.find((signal) => signal.type === name)?.occurredAt ?? null;
    case 'company':
      return companyFact(input.lead, name);
    default:
      return input.account?.tier ?? null;
  }
}
