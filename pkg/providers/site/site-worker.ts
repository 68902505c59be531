import { answerInputs } from '../../base/foreign-bytes/parse-worker.ts';
import { isWall, siteText } from '../../domain/watches/site-text.ts';

/** What a page says, and whether it is a wall in front of the site. */
export interface ReadPage {
  text: string;
  wall: boolean;
}

/** The program of a worker that reads pages of sites. */
answerInputs((input: { html: string }): ReadPage => {
  const text = siteText(input.html);
  return { text, wall: isWall(input.html, text) };
});
