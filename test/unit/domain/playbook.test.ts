import { expect } from 'chai';
import { OVERRIDE_HEADING, type PlaybookSituation, resolvePlaybook } from '../../../pkg/domain/playbook.ts';
import { playbookOf, TEMPLATE_NOTE } from '../../../pkg/domain/playbook-writer.ts';

const workspace = { id: 'ws', version: '3', text: 'Workspace text' };
const campaignOverride = { id: 'camp', version: '2', text: 'Override text' };
const own = { id: 'agent', version: '1', text: 'Agent text' };
const nothing = { workspace: null, campaignOverride: null, signalAgent: null };
const both = `Workspace text\n\nAdditional instructions for this campaign:\nOverride text`;

/** The specification's table, row by row, with what is easily got wrong around it. */
const TABLE: [why: string, situation: PlaybookSituation, text: string | null, source: string, parts: string[]][] = [
  [
    "1. an agent's own playbook stands alone; workspace and campaign are ignored",
    { workspace, campaignOverride, signalAgent: { own } },
    'Agent text',
    'signal_agent',
    ['signal_agent agent 1'],
  ],
  [
    '2. an agent without its own uses the workspace playbook',
    { ...nothing, workspace, signalAgent: { own: null } },
    'Workspace text',
    'workspace',
    ['workspace ws 3'],
  ],
  [
    '2. … also where a campaign override exists',
    { workspace, campaignOverride, signalAgent: { own: null } },
    'Workspace text',
    'workspace',
    ['workspace ws 3'],
  ],
  [
    '2. … and a blank own playbook is none',
    { ...nothing, workspace, signalAgent: { own: { ...own, text: ' ' } } },
    'Workspace text',
    'workspace',
    ['workspace ws 3'],
  ],
  [
    '3. a campaign conversation gets the workspace playbook with the override appended under its heading',
    { ...nothing, workspace, campaignOverride },
    both,
    'workspace_and_campaign',
    ['workspace ws 3', 'campaign_override camp 2'],
  ],
  [
    '4. an override without a workspace playbook stands alone',
    { ...nothing, campaignOverride },
    'Override text',
    'campaign_override',
    ['campaign_override camp 2'],
  ],
  [
    '4. … a blank workspace playbook is none',
    { ...nothing, workspace: { ...workspace, text: '\n' }, campaignOverride },
    'Override text',
    'campaign_override',
    ['campaign_override camp 2'],
  ],
  [
    '5. anything else is the workspace playbook alone',
    { ...nothing, workspace },
    'Workspace text',
    'workspace',
    ['workspace ws 3'],
  ],
  ['nothing at all is no text', nothing, null, 'none', []],
];

describe('playbook resolution', () => {
  for (const [why, situation, text, source, parts] of TABLE) {
    it(why, () => {
      const resolved = resolvePlaybook(situation);
      expect(resolved).to.include({ text, source });
      expect(resolved.parts.map((part) => `${part.kind} ${part.id} ${part.version}`)).to.deep.equal(parts);
      expect(resolved.reason).to.not.equal('');
    });
  }

  it("the heading is the specification's, word for word", () => {
    expect(OVERRIDE_HEADING).to.equal('Additional instructions for this campaign:');
  });
});

describe('playbook writer', () => {
  const facts = {
    workspaceName: 'Acme',
    website: '',
    instructions: '',
    campaigns: [],
    audience: { titles: [], industries: [], companySizes: [] },
    personas: [],
  };

  it('holds no note about itself, and leaves out what is not on record', () => {
    const text = playbookOf(facts);
    expect(text)
      .to.not.contain(TEMPLATE_NOTE)
      .and.not.match(/template writer|language model/);
    expect(text).to.not.match(/Website|Persona|Whom we write to|undefined/);
  });

  it('every sentence comes from a fact or from the fixed rules', () => {
    const bare = new Set(playbookOf(facts).split('\n'));
    const told = playbookOf({
      ...facts,
      website: 'https://acme.example',
      instructions: 'Use first names',
      campaigns: [{ title: 'Spring', goal: 'Ten talks', description: '' }],
      audience: { titles: ['CTO'], industries: ['Software'], companySizes: [] },
      personas: [{ name: 'Ada', description: '', painPoints: ['Slow builds'], goals: [], objections: [] }],
    });
    const added = told.split('\n').filter((line) => line !== '' && !bare.has(line));
    expect(added).to.deep.equal([
      'Who we are',
      '- Website: https://acme.example',
      'What we want to reach',
      '- Spring: Ten talks',
      'Whom we write to',
      '- Roles: CTO',
      '- Industries: Software',
      'Persona: Ada',
      '- Pain points: Slow builds',
      'Instructions',
      '- Use first names',
    ]);
  });
});
