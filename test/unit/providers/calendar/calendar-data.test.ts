import { expect } from 'chai';
import { calendarData } from '../../../../pkg/providers/calendar/calendar-data.ts';
import { UnreadableCalendar } from '../../../../pkg/providers/calendar/unreadable-calendar.ts';
import { CallError } from '../../../../pkg/providers/call-error.ts';

const multistatus = (...inner: string[]): string =>
  `<?xml version="1.0"?><D:multistatus xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">${inner.join('')}</D:multistatus>`;
const response = (data: string): string =>
  `<D:response><D:href>/a.ics</D:href><D:propstat><D:prop>${data}</D:prop></D:propstat></D:response>`;

describe('answers of CalDAV servers', () => {
  it('objects are read whatever prefix, entities or CDATA a server writes', () => {
    const text = multistatus(
      response('<C:calendar-data>SUMMARY:a &lt;b&gt; &amp;amp; &#228;&#xe4;&#13;</C:calendar-data>'),
      response('<calendar-data xmlns="urn:ietf:params:xml:ns:caldav"><![CDATA[SUMMARY:a < b && ]]>c</calendar-data>'),
      '<!-- <C:calendar-data>none</C:calendar-data> -->',
    );
    expect(calendarData(text)).to.deep.equal(['SUMMARY:a <b> &amp; ää\r', 'SUMMARY:a < b && c']);
    expect(calendarData(multistatus())).to.deep.equal([]);
    expect(calendarData('<multistatus xmlns="DAV:"/>')).to.deep.equal([]);
  });

  it('what is cut, or tells an object without what it holds, is no answer: nothing of it is free', () => {
    const whole = multistatus(response('<C:calendar-data>SUMMARY:a</C:calendar-data>'));
    for (const text of ['', 'BEGIN:VCALENDAR', '<html></html>', ...[60, 150, 200].map((at) => whole.slice(0, at))]) {
      expect(() => calendarData(text), text).to.throw(CallError);
    }
    expect(() => calendarData(multistatus(response('<C:calendar-data/>')))).to.throw(UnreadableCalendar);
  });
});
