import { expect } from 'chai';
import { htmlWithFooter, withFooter } from '../../../pkg/domain/mail-footer.ts';
import { mailHtmlProblem } from '../../../pkg/domain/mail-html.ts';

describe('the HTML of mails that people write', () => {
  it('text, its shape and links may be sent', () => {
    for (const html of [
      'Hello <b>Ada</b>,<br>see <a href="https://acme.example/a?b=1&amp;c=2">here</a>.',
      '<html><body><p style="color: #333; margin: 0">Hi</p><ul><li>1</li></ul></body></html>',
      '<a href=mailto:ada@x.example>write</a> 2 &lt; 3',
      'Leave: <a href="{{unsubscribe_url}}">here</a>',
    ])
      expect(mailHtmlProblem(html), html).to.equal(null);
  });

  it('M9: no tracking pixel, picture, file, script or style from elsewhere leaves with a mail', () => {
    for (const html of [
      '<img src="https://t.example/p.gif" width=1 height=1>',
      '<IMG/src=https://t.example/p.gif>',
      '<div style="background:url(https://t.example/p)">x</div>',
      '<div style="background:u&#114;l(https://t.example/p)">x</div>',
      '<div style="background:u\\72 l(https://t.example/p)">x</div>',
      '<td background="https://t.example/p.gif">x</td>',
      '<script>1</script>',
      '<style>@import "x"</style>',
      '<link rel=stylesheet href=x>',
      '<iframe src=x></iframe>',
      '<a href="java\tscript:alert(1)">x</a>',
      '<a href="&#106;avascript:alert(1)">x</a>',
      '<a href="data:text/html,x">x</a>',
      '<b onclick="x">x</b>',
      '<svg onload=x>',
      '<!-- <img src=x> -->',
      '<b title="x',
      '1 < 2',
    ])
      expect(mailHtmlProblem(html), html).to.be.a('string');
  });

  it('a long text is judged in time that grows with it', () => {
    for (const part of ['<', '<b ', '<b title="', '<b style=', '<a href="'])
      expect(mailHtmlProblem(part.repeat(100_000 / part.length))).to.be.a('string');
  });

  it('what mails end with stands in both parts, escaped in the HTML', () => {
    const footer = {
      unsubscribeUrl: 'https://in.example/u/abc',
      link: false,
      postalAddress: 'Main St 1',
      signature: 'Grace <grace@x.example>\nhttps://x.example',
    };
    expect(withFooter('Hi', footer)).to.equal('Hi\n\n-- \nGrace <grace@x.example>\nhttps://x.example\nMain St 1\n');
    expect(htmlWithFooter('<body><p>Hi $& there</p></body>', footer)).to.equal(
      '<body><p>Hi $& there</p><p>-- <br>Grace &lt;grace@x.example&gt;<br><a href="https://x.example">https://x.example</a><br>Main St 1</p></body>',
    );
    expect(
      htmlWithFooter('<a href="{{unsubscribe_url}}">no more</a>', { ...footer, signature: '', postalAddress: '' }),
    ).to.equal('<a href="https://in.example/u/abc">no more</a>');
  });
});
