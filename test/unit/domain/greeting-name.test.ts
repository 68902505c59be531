import { expect } from 'chai';
import { greetingName } from '../../../pkg/domain/greeting-name.ts';

describe('the name of a greeting', () => {
  it('is nothing for placeholders, addresses, roles, formulas and damaged text', () => {
    for (const name of [
      'N/A',
      'null',
      'NULL',
      'undefined',
      'test',
      'Unknown',
      'none',
      '(blank)',
      '#N/A',
      '#REF!',
      'TRUE',
      'info',
      'sales',
      'admin',
      'there',
      'First Name',
      'FNAME',
      'firstname',
      'Vorname',
      '[First Name]',
      '{{first}}',
      '%FNAME%',
      '*|FNAME|*',
      'M?ller',
      'J?rgen',
      'LinkedIn',
      'LinkedIn Member',
      'Dear',
      'Hi',
      'Team',
      'Sales Team',
      'Ph.D.',
      'MBA',
      'CEO',
      'The',
      'Mr.',
      'Herr',
      'Dr. Dr.',
      'annabrandt1990',
      'anna@x.example',
      'https://x.example',
      '=HYPERLINK("http://e","x")',
      '{{firstName}}',
      '$firstName',
      '<<Name>>',
    ])
      expect(greetingName(name), name).to.equal('');
  });

  it('is the given name as it is said, whatever letters, signs and marks it came with', () => {
    for (const [name, greeted] of [
      ['Dr. Anna', 'Anna'],
      ['ANNA!', 'Anna'],
      ['*Anna*', 'Anna'],
      ['~Anna~', 'Anna'],
      ['\u{1d4d0}\u{1d4f7}\u{1d4f7}\u{1d4ea}', 'Anna'],
      ['\uff21\uff2e\uff2e\uff21', 'Anna'],
      ['Ann\u200da', 'Anna'],
      ['Anna\u202e', 'Anna'],
      ['<b>Anna</b>', 'Anna'],
      ['O&#39;Neil', "O'Neil"],
      ['Jos&eacute;', 'José'],
      ['anna.brandt', 'Anna'],
      ['anna_brandt', 'Anna'],
      ['Anna (Ann)', 'Anna'],
      ['(Anna)', '(Anna)'],
      ['J.P.', 'J.P.'],
      ['DeAndre', 'DeAndre'],
      ['Nan', 'Nan'],
      ['Nil', 'Nil'],
      ['李', '李'],
      ['🚀 Maya', 'Maya'],
    ] as const)
      expect(greetingName(name), name).to.equal(greeted);
  });
});
