import { expect } from 'chai';
import fc from 'fast-check';
import { sizesMatch } from '../../../pkg/domain/company-size.ts';
import { creditsFor } from '../../../pkg/domain/credits.ts';
import { icpScore } from '../../../pkg/domain/icp-score.ts';
import { reviewFlags } from '../../../pkg/domain/review-flags.ts';
import { seniorityOf } from '../../../pkg/domain/seniority.ts';
import { explainSignals, type ScoredSignal, SIGNAL_CAP, signalRulesOf } from '../../../pkg/domain/signal-score.ts';

const DAY = 86_400_000;
const lead = {
  title: 'Vice President of Sales',
  headline: 'SaaS for banks',
  seniority: '',
  company: 'Acme',
  companySize: '51-200',
  industry: 'Computer Software',
};
const none = { titles: [], industries: [], seniorities: [], companySizes: [], keywords: [] };

describe('scores', () => {
  it('a lead that matches everything has 100, one that matches nothing 0, with a reason per criterion', () => {
    const icp = {
      titles: ['VP Sales'],
      industries: ['Software'],
      seniorities: ['vp'],
      companySizes: ['51-200'],
      keywords: ['saas'],
    };
    expect(icpScore(lead, icp).score).to.equal(100);
    const miss = icpScore({ ...lead, title: '', headline: '', companySize: '', industry: '' }, icp);
    expect(miss.score).to.equal(0);
    expect(miss.reasons.map((reason) => [reason.criterion, reason.matched, reason.evidence])).to.deep.equal([
      ['title', false, 'title unknown'],
      ['seniority', false, 'seniority unknown'],
      ['industry', false, 'industry unknown'],
      ['company_size', false, 'company size unknown'],
      ['keyword', false, 'no keyword found'],
    ]);
  });

  it('only what is asked for counts; nothing asked is 0', () => {
    expect(icpScore(lead, { ...none, titles: ['VP Sales'] }).score).to.equal(100);
    expect(icpScore(lead, { ...none, titles: ['CTO'], industries: ['software'] }).score).to.equal(36);
    expect(icpScore(lead, none)).to.deep.equal({ score: 0, reasons: [] });
    expect(icpScore({ ...lead, title: 'Salesman' }, { ...none, titles: ['Sales'] }).score).to.equal(0);
  });

  it("property: 0 to 100, and the reasons' points add up to it", () => {
    const list = fc.array(fc.constantFrom('VP', 'sales', 'Software', 'saas', '51-200', '1-10', 'x'), { maxLength: 4 });
    fc.assert(
      fc.property(list, list, list, list, list, (titles, industries, seniorities, companySizes, keywords) => {
        const { score, reasons } = icpScore(lead, { titles, industries, seniorities, companySizes, keywords });
        expect(score).to.be.within(0, 100);
        expect(reasons.reduce((sum, reason) => sum + reason.points, 0)).to.equal(score);
      }),
    );
  });

  it('reads seniority from titles', () => {
    const titles = [
      'CEO & Founder',
      'Chief of Staff',
      'Senior Vice President',
      'Head of Sales',
      'Senior Product Owner',
      'Junior Analyst',
      'Gardener',
      '',
    ];
    expect(titles.map(seniorityOf)).to.deep.equal(['owner', 'manager', 'vp', 'head', 'senior', 'entry', '', '']);
  });

  it('knows the seniority of titles as people of several languages and all genders write them', () => {
    const expected: Record<string, readonly string[]> = {
      owner: [
        'Inhaberin',
        'Gründerin',
        'Co-Gründer',
        'Geschäftsführende Gesellschafterin',
        'Cofondateur',
        'Fundadora',
        'Titolare',
        'Propietario',
      ],
      c_suite: [
        'Geschäftsführerin',
        'Geschäftsführer Vertrieb',
        'Vorständin',
        'Directrice générale',
        'Président',
        'Directora General',
        'Amministratore delegato',
        'Vorstandsvorsitzender',
        'Managing Director',
        'CEO',
      ],
      director: [
        'Direktorin Einkauf',
        'Bereichsleiterin IT',
        'Directora de Marketing',
        'Directeur commercial',
        'Direttore vendite',
      ],
      head: [
        'Vertriebsleiter',
        'Marketingleiterin',
        'Leiterin Einkauf',
        'Leitung Einkauf',
        'Abteilungsleiter',
        'Responsable marketing',
        'Jefe de ventas',
      ],
      manager: [
        'HR Business Partner',
        'Teamleiterin',
        'Projektleiter',
        'Gerente de ventas',
        'Chef de projet',
        'Account Managerin',
      ],
      entry: [
        'Assistentin der Geschäftsführung',
        'Assistenz der Geschäftsführung',
        'Executive Assistant to the CEO',
        'Personal Assistant of the President',
        'Assistante de direction',
        'Asistente del director general',
      ],
      intern: ['Praktikantin', 'Werkstudentin Marketing', 'Becaria', 'Auszubildende'],
      partner: ['Partnerin', 'Managing Partner'],
      vp: ['Vice Président des ventes', 'Vicepresidente'],
      '': ['Internal Auditor', 'Sachbearbeiter', 'Consultant'],
    };
    for (const [seniority, titles] of Object.entries(expected)) {
      for (const title of titles) expect(seniorityOf(title), title).to.equal(seniority);
    }
  });

  it('compares sizes as ranges', () => {
    expect(['11-50', '120', '10,001+', '200', 'x', ''].map((known) => sizesMatch(known, '51-200'))).to.deep.equal([
      false,
      true,
      false,
      true,
      false,
      false,
    ]);
    expect(sizesMatch('20000', '10001+')).to.equal(true);
  });

  it('signals decay linearly to 0 at the end of their window and are capped', () => {
    const now = 100 * DAY;
    const signalScore = (signals: ScoredSignal[]): number => explainSignals(signals, now, signalRulesOf({})).score;
    const ago = (type: string, days: number) => ({ type, occurredAt: now - days * DAY });
    expect(signalScore([ago('funding_round', 0)])).to.equal(20);
    expect(signalScore([ago('funding_round', 45)])).to.equal(10);
    expect(signalScore([ago('funding_round', 90), ago('job_change', -1), ago('toString', 0)])).to.equal(0);
    expect(signalScore(Array.from({ length: 9 }, () => ago('funding_round', 0)))).to.equal(SIGNAL_CAP);
  });

  it('flags what a reviewer should see', () => {
    const draft = {
      body: 'Hello',
      maxLength: 300,
      bannedPhrases: ['Quick  question'],
      touches: 1,
      signalAt: null,
      now: 100 * DAY,
    };
    expect(reviewFlags(draft)).to.deep.equal([]);
    expect(reviewFlags({ ...draft, body: 'A quick question: 40 % more?', touches: 0, signalAt: 0 })).to.deep.equal([
      'unsourced_claim',
      'banned_phrase',
      'first_touch',
      'stale_signal',
    ]);
    for (const body of ['We are #1', 'Twice as fast, guaranteed', 'Grew 3x'])
      expect(reviewFlags({ ...draft, body }), body).to.deep.equal(['unsourced_claim']);
    const grown = { ...draft, facts: [{ text: 'Acme grew by 40 % in 2025' }] };
    expect(reviewFlags({ ...grown, body: 'Congratulations on 40 %' }), 'a fact says so').to.deep.equal([]);
    expect(reviewFlags({ ...grown, body: 'Another 60 % with us' })).to.deep.equal(['unsourced_claim']);
    expect(reviewFlags({ ...draft, body: 'QUICK QUESTION', bannedPhrases: ['quick question', ' '] })).to.deep.equal([
      'banned_phrase',
    ]);
    expect(reviewFlags({ ...draft, body: '👋'.repeat(300) })).to.deep.equal([]);
    expect(reviewFlags({ ...draft, body: 'x'.repeat(301) })).to.deep.equal(['too_long']);
    expect(reviewFlags({ ...draft, body: 'Sorry about the layoffs' })).to.deep.equal(['sensitive']);
    for (const firstName of ['WENDY', 'Dr. Wendy', '🚀 Wendy'])
      expect(reviewFlags({ ...draft, body: 'Hi Wendy,', firstName }), firstName).to.deep.equal(['name_changed']);
    expect(reviewFlags({ ...draft, body: 'Hi Wendy,', firstName: 'Wendy' })).to.deep.equal([]);
  });

  it('prices are whole credits', () => {
    expect([
      creditsFor('lead_enrich_phone', 2),
      creditsFor('connections_export', 101),
      creditsFor('ai_classify', 9),
    ]).to.deep.equal([16, 2, 0]);
  });
});
