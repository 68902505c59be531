import { Time } from './time.tsx';

/** Moments as the server writes them into its sentences. */
const MOMENT = /(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z)/;

/** A sentence of the server, with its moments in the viewer's zone. */
export function ToldText({ text }: { text: string }) {
  return <>{text.split(MOMENT).map((part, place) => (place % 2 === 1 ? <Time key={place} at={part} /> : part))}</>;
}
