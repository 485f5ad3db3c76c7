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


PHRASES: Mapping[str, Phrases] = MappingProxyType(
    {
        "en": Phrases(
            "No model reasoned about this: these are the passages that best fit the question, word for word.",
            "Rules",
            "Rulings",
            "Card text",
        ),
        "fr": Phrases(
            "Aucun modèle n'a raisonné ici : voici, mot pour mot, les passages qui répondent le mieux à la question.",
            "Règles",
            "Décisions officielles",
            "Texte des cartes",
        ),
        "de": Phrases(
            "Hier hat kein Modell nachgedacht: Dies sind im Wortlaut die Stellen, die am besten zur Frage passen.",
            "Regeln",
            "Offizielle Entscheidungen",
            "Kartentext",
        ),
        "es": Phrases(
            "Ningún modelo ha razonado aquí: estos son, palabra por palabra, los pasajes que mejor responden.",
            "Reglas",
            "Aclaraciones oficiales",
            "Texto de las cartas",
        ),
        "it": Phrases(
            "Nessun modello ha ragionato qui: questi sono, parola per parola, i passaggi più adatti alla domanda.",
            "Regole",
            "Chiarimenti ufficiali",
            "Testo delle carte",
        ),
        "pt": Phrases(
            "Nenhum modelo raciocinou aqui: estas são, palavra por palavra, as passagens que melhor respondem.",
            "Regras",
            "Esclarecimentos oficiais",
            "Texto das cartas",
        ),
    }
)
