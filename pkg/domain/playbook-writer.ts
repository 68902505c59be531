/** What is on record about a workspace and what it does; empty lists and texts are unknown. */
export interface PlaybookFacts {
  workspaceName: string;
  website: string;
  /** Wishes of the caller, taken over word for word. */
  instructions: string;
  campaigns: readonly { title: string; goal: string; description: string }[];
  audience: { titles: readonly string[]; industries: readonly string[]; companySizes: readonly string[] };
  personas: readonly {
    name: string;
    description: string;
    painPoints: readonly string[];
    goals: readonly string[];
    objections: readonly string[];
  }[];
}

/** Rules of good outreach that claim nothing about anybody. */
const MANNERS = [
  'Write short: two or three sentences for a first message, one thought per message.',
  'State only facts that are on record about the person, and say where they are from if asked.',
  'Ask one question at most, and make a no easy.',
  'Answer what was asked before asking anything.',
  'Stop at once when somebody asks for it.',
];

/** Told beside the text of this writer, never in it: a writer reads the playbook as rules. */
export const TEMPLATE_NOTE =
  'The built-in template writer wrote this playbook from what is on record here; no language model was used, and nothing was added to the facts.';

/** A playbook from facts on record, plain text; the same facts give the same text. Nothing is invented. */
export function playbookOf(facts: PlaybookFacts): string {
  const sections = [
    `Playbook of ${facts.workspaceName}`,
    section('Who we are', [facts.website && `Website: ${facts.website}`]),
    section('What we want to reach', facts.campaigns.map(goalOf)),
    section('Whom we write to', [
      line('Roles', facts.audience.titles),
      line('Industries', facts.audience.industries),
      line('Company sizes', facts.audience.companySizes),
    ]),
    ...facts.personas.map((persona) =>
      section(`Persona: ${persona.name}`, [
        persona.description,
        line('Pain points', persona.painPoints),
        line('Goals', persona.goals),
        line('Objections to expect', persona.objections),
      ]),
    ),
    section('How we write', MANNERS),
    section('Instructions', [facts.instructions]),
  ];
  return sections.filter((text) => text !== '').join('\n\n');
}

function goalOf({ title, goal, description }: PlaybookFacts['campaigns'][number]): string {
  const told = [goal, description].filter((text) => text.trim() !== '').join(' ');
  return told === '' ? title : `${title}: ${told}`;
}

function line(label: string, values: readonly string[]): string {
  return values.length === 0 ? '' : `${label}: ${values.join(', ')}`;
}

/** A heading with its lines; nothing when there are none. */
function section(heading: string, lines: readonly string[]): string {
  const told = lines.filter((text) => text.trim() !== '');
  return told.length === 0 ? '' : `${heading}\n${told.map((text) => `- ${text.trim()}`).join('\n')}`;
}
