import { expect } from 'chai';
import { readCountry } from '../../../pkg/domain/identity/country.ts';
import { zoneOfPlace } from '../../../pkg/domain/place-zone.ts';

const COUNTRIES: Readonly<Record<string, readonly string[]>> = {
  DE: [
    'Germany',
    'Deutschland',
    'Allemagne',
    'Alemania',
    'Germania',
    'Alemanha',
    'Duitsland',
    'Niemcy',
    'DE',
    'deu',
    ' "Germany" ',
  ],
  GB: ['UK', 'U.K.', 'United Kingdom', 'England', 'Großbritannien', 'GBR', 'Royaume-Uni'],
  US: ['USA', 'U.S.A.', 'US', 'United States', 'Vereinigte Staaten', 'États-Unis', 'Estados Unidos'],
  CH: ['Schweiz', 'Suisse', 'Svizzera', 'CHE'],
  NL: ['Holland', 'Niederlande', 'Pays-Bas', 'Nederland'],
  AT: ['Österreich', 'Osterreich', 'Austria'],
};

const PLACES: readonly (readonly [location: string, country: string, zone: string | null])[] = [
  ['Lyon', 'France', 'Europe/Paris'],
  ['München', 'Deutschland', 'Europe/Berlin'],
  ['', 'UK', 'Europe/London'],
  ['Chicago', 'USA', 'America/Chicago'],
  ['Phoenix', 'US', 'America/Phoenix'],
  ['Austin, TX', '', 'America/Chicago'],
  ['Seattle, Washington', 'United States', 'America/Los_Angeles'],
  ['San Francisco', 'US', 'America/Los_Angeles'],
  ['Springfield', 'US', null],
  ['', 'US', null],
  ['Dover, DE', '', null],
  ['Berlin, Germany', '', 'Europe/Berlin'],
  ['Barcelona', 'Spain', 'Europe/Madrid'],
  ['Las Palmas', 'Spain', null],
  ['Perth', 'Australia', 'Australia/Perth'],
  ['São Paulo', 'Brasil', 'America/Sao_Paulo'],
  ['Remote', '', null],
  ['', 'Atlantis', null],
];

describe('where a person is', () => {
  for (const [code, names] of Object.entries(COUNTRIES))
    it(`${code} is ${names.join(', ')}`, () => {
      for (const name of names) expect(readCountry(name).value, name).to.equal(code);
    });
  for (const name of ['', 'Europe', 'EU', 'Earth', 'n/a'])
    it(`"${name}" is no country`, () => {
      expect(readCountry(name).value).to.equal(null);
    });
  for (const [location, country, zone] of PLACES)
    it(`"${location}" in "${country}" has ${zone ?? 'no zone that is sure'}`, () => {
      expect(zoneOfPlace(location, country)).to.equal(zone);
    });
});
