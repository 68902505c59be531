import { expect } from 'chai';
import { spokenNeedles, spokenPattern } from '../../../pkg/domain/name-pattern.ts';

const names = (...all: string[]): { names: string[]; phones: string[] } => ({ names: all, phones: [] });
const cut = (text: string, mine: Parameters<typeof spokenPattern>[0], others = names()): string => {
  const pattern = spokenPattern(mine, others);
  return pattern === null ? text : text.replace(new RegExp(pattern, 'gi'), 'erased');
};

describe('what finds a person in prose', () => {
  for (const [name, text, left] of [
    ['Zoltán Quill', 'we met zoltan quill, who', 'we met erased, who'],
    ['Zoltan Quill', 'we met ZOLTÁN QUILL.', 'we met erased.'],
    ['Zoltan Quill', 'CEO: Quill, Zolta\u0301n (CEO)', 'CEO: erased (CEO)'],
    ['Zoltan Quill', 'Quill, Zoltan; Reed, Bo', 'erased; Reed, Bo'],
    ['Quill, Zoltan', '<"Quill, Zoltan">', '<"erased">'],
    ['Ana Maria Quill', '{"by":"Quill, Ana Maria\\nAna Maria Quill"}', '{"by":"erased\\nerased"}'],
    ['Zoltan Quill', "Zoltan Quill's boss; zoltan.quill(at)x", "erased's boss; erased(at)x"],
    ['Jürgen Groß', 'Juergen Gross und JURGEN GROSS, Groß Jürgen', 'erased und erased, erased'],
    ['Juergen Gross', 'Jürgen Groß', 'erased'],
    ['Søren Łukasz', 'soren lukasz and Soeren Lukasz', 'erased and erased'],
    ['Jean-Luc O’Brien', "Jean Luc O'Brien, JeanLuc OBrien", 'erased, erased'],
    ['Иван Петров', 'спасибо ИВАН ПЕТРОВ!', 'спасибо erased!'],
  ] as const)
    it(`cuts ${name} out of "${text}"`, () => expect(cut(text, names(name))).to.equal(left));

  for (const [name, text] of [
    ['Anna Müller', 'Anna and Mr Müller met'],
    ['Anna Müller', 'Anna Müller-Schmidt; Hanna Müller; Lena-Anna Müller; Anna Müllers'],
    ['Anna Müller', 'Anna Maria Müller'],
    ['Anna Müller', 'Lena Müller, Anna Schmidt'],
    ['Anna Müller', 'lena müller,anna schmidt'],
    ['Anna Müller', 'we asked Müller, Anna said no'],
    ['Anna Müller', 'Anna, Müller came'],
    ['Müller, Anna', 'Lena Müller, Anna Schmidt'],
    ['Anna Müller', 'Müller, Anna Schmidt'],
    ['Anna Müller', 'Lena Müller, Anna'],
    ['Madonna', 'Madonna sang'],
    ['', 'nobody'],
  ] as const)
    it(`leaves "${text}" for ${name || 'no name'}`, () => expect(cut(text, names(name))).to.equal(text));

  it('leaves a name that somebody else bears, in either order, and what is a part of a longer one', () => {
    expect(cut('ask Anna Muller', names('Anna Müller'), names('MUELLER, Anna'))).to.equal('ask Anna Muller');
    const text = 'Juan García López met Juan Garcia and Don Juan García.';
    expect(cut(text, names('Juan García'), names('Juan Garcia Lopez', 'Don Juan Garcia'))).to.equal(
      'Juan García López met erased and Don Juan García.',
    );
  });

  it('cuts a telephone number however it is written, unless somebody else has it, and no part of a longer one', () => {
    const mine = { names: [], phones: ['+49 176 55544433'] };
    for (const text of ['+4917655544433', '0176/555 444 33', '0049 176 555-444-33', '(0176) 55544433'])
      expect(cut(`call ${text} now`, mine), text).to.match(/^call \(?erased now$/);
    expect(cut('id 1765554443399', mine)).to.equal('id 1765554443399');
    expect(cut('0176 55544433', mine, { names: [], phones: ['017655544433'] })).to.equal('0176 55544433');
  });

  it('whatever it finds in a text of the letters a to z holds a needle', () => {
    const mine = { names: ['Zoltán Quill', 'Jürgen Groß', "Mary O'Brien"], phones: ['+49 176 55544433'] };
    const likes = spokenNeedles(mine).map((like) => new RegExp(`^${like.replaceAll('%', '[^]*')}$`));
    for (const text of [
      'x Zoltan Quill y',
      'QUILL, ZOLTAN',
      'Juergen Gross',
      'Jurgen Gross',
      "mary o'brien",
      '0176 555 44 433',
    ]) {
      expect(cut(text, mine), text).to.contain('erased');
      expect(
        likes.some((like) => like.test(text.toLowerCase())),
        text,
      ).to.equal(true);
    }
  });
});
