import type { LanguageWords } from './language-words.ts';

/** Spanish words that claim nothing. */
export const SPANISH: LanguageWords = {
  plain: `entiendo comprendo titular lema un una unos unas el la los las lo al del de este esta estos estas ese esa eso esto aquel ello el ella ellos ellas
 yo me mi mis mio tu te ti tus usted ustedes su sus se nos nosotros nuestro nuestra nuestros nuestras le les
 que quien quienes cual cuales cuando donde como por porque para cuanto cuantos cuantas
 y e o u pero pues si sino aunque mientras tambien tan tanto muy mas menos solo solamente simplemente quizas tal vez bien
 soy eres es somos son era ser sido estoy esta esta estan estar he ha hemos han haber hay sea seria serian
 puedo puede puedes podemos pueden podria podrias podriamos quiero quiere quieres quisiera gustaria debo debe
 a en con sin sobre entre hacia desde hasta durante segun ante bajo
 no ni algo nada alguien nadie todo toda todos todas cada otro otra otros otras mismo misma mismos mucho mucha muchos muchas poco pocos
 algunos algunas varios
 hola buenos buenas dias tardes estimado estimada saludos saludo cordial cordiales gracias buen bueno buena favor
 persona personas gente cosa cosas
 trabajo trabaja trabajar trabajamos papel puesto cargo funcion nombre palabra pregunta preguntas respuesta mensaje mensajes nota idea ideas tema temas
 charla charlar hablar conversar conversacion intercambio intercambiar llamada llamar contacto contactar red perfil conectar
 llamo llamado atencion interesa interes interesante interesado interesada curioso curiosa gusto encantaria encantado encantada alegra
 vi ver veo visto lei leer leido sigo seguir encontre encontrar descubri saber sabe se conocer conoce conozco pienso pensar creo
 hace hacer hago decir digo dar doy tomar ir voy va recibe recibir recibo tener tengo tiene escribir escribo
 abierto abierta corto corta breve rapido rapida simple sencillo sencilla facil dificil util posible listo lista claro clara
 entender entiendo necesidad ganas tiempo momento ocasion razon manera forma parte lado mundo campo experiencia experiencias dia
 presion prisa ayuda ayudar ayudamos compartir juntos directamente personalmente actualmente
 digame digamelo mejor importa propuesta propuestas
 parece parecer vendria viene conviene aqui `,
  nouns: '',
  time: 'responsable lleva llevar maneja manejar gestiona gestionar proxima proximo semana semanas mes meses ano anos dia dias manana hoy tarde pronto minuto minutos hora horas',
  numbers:
    'dos tres cuatro cinco seis siete ocho nueve diez once doce docena veinte treinta cien ciento cientos mil millon millones doble doblar triple triplicar mitad veces',
  months: 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
  recent: [
    ['ayer', 'yesterday'],
    ['la semana pasada', 'last week'],
    ['esta semana', 'this week'],
    ['el mes pasado', 'last month'],
    ['este mes', 'this month'],
    ['el ano pasado', 'last year'],
    ['este ano', 'this year'],
    ['recientemente', 'lately'],
    ['hace poco', 'lately'],
    ['reciente', 'lately'],
  ],
  congratulates: 'felicidades enhorabuena felicitaciones felicito',
  newRole: 'nuevo nueva puesto cargo papel',
  posted: 'publicacion publicaciones publico post articulo compartio escribio',
  conversed: 'respuesta respondio pregunto preguntaba dijo comento menciono escribio mensaje pregunta',
  earlierContact:
    /\b(?:gracias(?: \w+)? por (?:su|tu|sus|tus|la|el|nuestra|aceptar|conectar|responder)\b(?: \w+)?|como (?:acordamos|hablamos|comentamos|prometi|quedamos|le dije)|nuestra? (?:ultima|anterior|ultimo|previa) \w+|nos (?:conocimos|vimos|encontramos|hablamos)|me (?:hablo|dijo|recomendo|conto)|usted me|encantado de (?:conocer\w*|haber\w*))\b/g,
  hearsay:
    /\b(?:alguien|gente|personas?|otros|su red|sus contactos) (?:\w+ ){0,4}(?:dicen?|dijo|cuentan?|recomiendan?|trabajan? (?:ya )?con(?: nosotros|migo)|nos conocen?)\b/g,
  ourselves: 'nosotros nuestro nuestra nuestros nuestras somos ayudamos yo mi mis ofrecemos tenemos nuestro',
  perceives: 'vi veo visto lei leido llamo sigo encontre entiendo comprendo se',
  greetings: 'hola buenos buenas estimado estimada',
  by: 'por',
  prepositions: 'en a de desde para con por sobre',
  qualifiers:
    'adjunto adjunta subdirector subdirectora ex antiguo antigua asistente vice becario becaria junior interino interina',
};
