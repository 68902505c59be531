import { expect } from 'chai';
import { extendThread, plainSubject, replySubject } from '../../../pkg/domain/mail-thread.ts';

describe('threads of mails', () => {
  it('a subject is the same whatever mail programs put before it, so that an answer is known as one', () => {
    for (const prefix of [
      'Re:',
      'RE :',
      'Ré :',
      'AW: WG:',
      'Antw:',
      'SV:',
      'VS:',
      'Fwd: Re:',
      'R:',
      'RIF:',
      'RES:',
      'ENC:',
      'RV:',
      'Odp:',
      'Re[2]:',
      'Re: [EXTERNAL] Re:',
      '[EXT] Re:',
      '回复：',
      'Automatic reply:',
      'Automatische Antwort:',
      'Réponse automatique :',
      'Respuesta automática:',
    ]) {
      expect(plainSubject(`${prefix} Your  plant in Kiel`), prefix).to.equal('Your plant in Kiel');
    }
    for (const subject of ['Revenue: a question', 'Report: numbers', '[Acme] news', 'Our Re: project', 'Antwort']) {
      expect(plainSubject(subject)).to.equal(subject);
    }
    expect(plainSubject('RES:'), 'nothing but a prefix').to.equal('');
  });

  it('the next mail of a thread says Re: once', () => {
    const thread = extendThread({ accountId: 'm', subject: 'AW: Re: Hello', references: ['a'], messageId: 'b' });
    expect(thread).to.deep.equal({ accountId: 'm', subject: 'Hello', references: ['a', 'b'] });
    expect(replySubject(thread)).to.equal('Re: Hello');
  });
});
