"""The few sentences the judge says itself, in the languages it speaks; quotes always stay English."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Phrases:
    """The frame of an extractive answer in one language."""

    opening: str
    rules: str
    rulings: str
    card_text: str
    absent: str  # with {number}, {edition} (a date) and {nearest} (one or two numbers)


PHRASES: Mapping[str, Phrases] = MappingProxyType(
    {
        "en": Phrases(
            "No model reasoned about this: these are the passages that best fit the question, word for word.",
            "Rules",
            "Rulings",
            "Card text",
            "The rules of {edition} have no rule {number}. Nearest to it: {nearest}.",
        ),
        "fr": Phrases(
            "Aucun modèle n'a raisonné ici : voici, mot pour mot, les passages qui répondent le mieux à la question.",
            "Règles",
            "Décisions officielles",
            "Texte des cartes",
            "Les règles du {edition} n'ont pas de règle {number}. Au plus près : {nearest}.",
        ),
        "de": Phrases(
            "Hier hat kein Modell nachgedacht: Dies sind im Wortlaut die Stellen, die am besten zur Frage passen.",
            "Regeln",
            "Offizielle Entscheidungen",
            "Kartentext",
            "Die Regeln vom {edition} haben keine Regel {number}. Am nächsten liegt: {nearest}.",
        ),
        "es": Phrases(
            "Ningún modelo ha razonado aquí: estos son, palabra por palabra, los pasajes que mejor responden.",
            "Reglas",
            "Aclaraciones oficiales",
            "Texto de las cartas",
            "Las reglas del {edition} no tienen ninguna regla {number}. Lo más cercano: {nearest}.",
        ),
        "it": Phrases(
            "Nessun modello ha ragionato qui: questi sono, parola per parola, i passaggi più adatti alla domanda.",
            "Regole",
            "Chiarimenti ufficiali",
            "Testo delle carte",
            "Le regole del {edition} non hanno una regola {number}. La più vicina: {nearest}.",
        ),
        "pt": Phrases(
            "Nenhum modelo raciocinou aqui: estas são, palavra por palavra, as passagens que melhor respondem.",
            "Regras",
            "Esclarecimentos oficiais",
            "Texto das cartas",
            "As regras de {edition} não têm a regra {number}. O mais próximo: {nearest}.",
        ),
    }
)
